/** A page with the text component alone, and no server: the tests give it props and chunks. */

import { createElement as h, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";

import { countCodePoints } from "./code_points.js";
import { StreamFeed, StreamText, deliver } from "./stream_text.js";
import { textOf, view } from "./store.js";

const props = { sid: "", ready: "", rows: [] };
let told = () => {};

function Page() {
  useSyncExternalStore((tell) => ((told = tell), () => {}), () => props.version);
  const onMissed = (...place) => window.page.missed.push(place);
  return h("main", null,
    h(StreamFeed, { sid: props.sid, ready: props.ready, onMissed }),
    props.rows.map((row) => h("article", { key: row.messageId, className: row.role }, h(StreamText, row))));
}

window.page = {
  missed: [],
  /** Change props of the page; each call is drawn before it returns, as an event of the socket is. */
  set({ chunks, ...changes }) {
    Object.assign(props, changes, { version: {} });
    flushSync(() => {
      if (chunks) deliver(chunks);
      told();
    });
  },
  /** What is held of a message. */
  held(message) {
    const { attempt, offset, crc, gap, parts } = view(message);
    const text = textOf({ parts });
    const shown = parts.map((part) => [part.kind, part.text]);
    return { attempt, offset, crc, gap, text, counted: countCodePoints(text), parts: shown };
  },
};

createRoot(document.getElementById("root")).render(h(Page));
