/**
 * Times on the page: told relatively, with the exact time to be read on hover, and of some by focus and touch, too.
 *
 * One clock goes for all of them. What is drawn anew at a tick are those of which the words have changed.
 */

import { createElement as h, memo, useState, useSyncExternalStore } from "react";

import { signal } from "../composer/signal.js";
import { useLanguage } from "../words/words.js";
import { exact, relative } from "./telling.js";

const TICK_MS = 10_000;

const { listen, changed } = signal();
let going = 0;
let clock;

/** How long ago, or `isToCome` in how long; `isShort` where there is little room. */
export const Moment = memo(function Moment({ at, isToCome, isShort, className }) {
  const words = useRelative(at, { isToCome, style: isShort ? "narrow" : "long" });
  // Where a change is read aloud, the passing of time is none.
  return h("time", { dateTime: at, title: exact(at), className, "aria-live": "off" }, words);
});

/** The time of a message. */
export function MessageTime({ at }) {
  return h(OpenMoment, { at, name: "message-time" });
}

/** As a `Moment`: focused, by a key or a touch, it is the exact time, to be read aloud and copied. */
export const OpenMoment = memo(function OpenMoment({ at, isToCome, name }) {
  const [isFocused, setFocused] = useState(false);
  const words = useRelative(at, { isToCome });
  const copied = (event) => {
    if (String(window.getSelection())) return;
    event.clipboardData.setData("text/plain", exact(at));
    event.preventDefault();
  };
  return h("time", {
    dateTime: at, title: exact(at), className: name, "data-testid": name, "data-chrome": "", "aria-live": "off", tabIndex: 0,
    onFocus: () => setFocused(true), onBlur: () => setFocused(false), onCopy: copied,
  }, isFocused ? exact(at) : words);
});

/** The words for a time, as they are by now. */
function useRelative(at, options) {
  useLanguage();
  return useSyncExternalStore(listenToClock, () => relative(at, Date.now(), options), () => "");
}

function listenToClock(tell) {
  const end = listen(tell);
  if (going === 0) {
    clock = setInterval(changed, TICK_MS);
    document.addEventListener("visibilitychange", changed);
  }
  going += 1;
  return () => {
    end();
    going -= 1;
    if (going > 0) return;
    clearInterval(clock);
    document.removeEventListener("visibilitychange", changed);
  };
}
