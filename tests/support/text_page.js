/** A page with texts and calls, and no server: the tests give it props and chunks, and take its wishes. */

import { createElement as h, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";

import { current as hint } from "./composer/hint.js";
import { countCodePoints } from "./stream_text/code_points.js";
import { CopyMessage, StreamFeed, StreamText, deliver } from "./stream_text/stream_text.js";
import { textOf, view } from "./stream_text/store.js";
import { WishKeeper } from "./wish/wish.js";

const props = { sid: "", ready: "", rows: [], replies: [], canWish: "" };
let told = () => {};

function Page() {
  useSyncExternalStore((tell) => ((told = tell), () => {}), () => props.version);
  const onMissed = (...place) => window.page.missed.push(place);
  return h("main", null,
    h(StreamFeed, { sid: props.sid, ready: props.ready, onMissed, onWhole: wish("whole") }),
    h(WishKeeper, { replies: props.replies, ready: props.canWish, onWithdraw: wish("withdraw") }),
    props.rows.map((row) => h("article", { key: row.messageId, className: row.role },
      h(StreamText, { ...row, onDecide: decide, onMarkDone: markDone, onRunAgain: runAgain }),
      row.copied && h(CopyMessage, { message: row.messageId }))));
}

const wish = (name) => (...said) => window.page.wishes.push([name, ...said]);
const [decide, markDone, runAgain] = ["decide", "mark_done", "run_again"].map(wish);

window.page = {
  missed: [],
  wishes: [],
  hint,
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
