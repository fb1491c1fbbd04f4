/** The view of one message as React state, no faster than it can be drawn. */

import { useLayoutEffect, useRef, useState } from "react";

import { listen, view } from "./store.js";

/** After a costly drawing the page rests for this many times its cost, for typing and scrolling. */
const REST = 4;
const LONGEST_REST_MS = 400;
const CHEAP_MS = 8;

/** Follows the store; while the message is `live`, a long text is drawn less often. */
export function useView(message, live) {
  const [shown, show] = useState(() => ({ message, view: view(message) }));
  const drawing = useRef({ began: 0, restUntil: 0 });
  const isLive = useRef(live);
  isLive.current = live;

  drawing.current.began = now();
  useLayoutEffect(() => {
    const cost = now() - drawing.current.began;
    drawing.current.restUntil = cost > CHEAP_MS ? now() + Math.min(cost * REST, LONGEST_REST_MS) : 0;
  });

  useLayoutEffect(() => {
    let timer;
    const draw = () => {
      timer = undefined;
      show((before) => {
        const after = view(message);
        return before.message === message && before.view === after ? before : { message, view: after };
      });
    };
    const soon = () => {
      if (timer !== undefined) return;
      const rest = isLive.current ? drawing.current.restUntil - now() : 0;
      if (rest > 0) timer = setTimeout(draw, rest);
      else draw();
    };
    draw();
    const end = listen(message, soon);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [message]);

  // An ended answer waits for nothing.
  return live && shown.message === message ? shown.view : view(message);
}

function now() {
  return performance.now();
}
