/**
 * A page with the composer, the outbox and a thread, and no server: the tests give it props and take its
 * events. From its first moment it counts, at every frame, where a text that it was told stands.
 */

import { createElement as h, useSyncExternalStore } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import { renderToString } from "react-dom/server";

import { Composer, EditButton, Outbox } from "./composer/composer.js";
import { SessionSettings } from "./session_settings/session_settings.js";
import { StreamFeed, StreamText, deliver } from "./stream_text/stream_text.js";
import { WishKeeper } from "./wish/wish.js";

const props = {
  sid: "", ready: "", busyTask: "", replies: [], queued: [], storedDraft: {}, model: "", canSend: true,
  carries: true, rows: [],
};
let told = () => {};

function Page() {
  useSyncExternalStore((tell) => ((told = tell), () => {}), () => props.version, () => undefined);
  const { rows, ...rest } = props;
  const event = (name) => (...given) => window.server(name, ...given);
  return h("main", null,
    h(StreamFeed, { sid: props.sid, ready: props.ready, onWhole: event("whole") }),
    h(WishKeeper, { replies: props.replies, ready: props.ready, onWithdraw: event("withdraw") }),
    h("section", null, rows.map((row) =>
      h("article", { key: row.messageId, className: `message message-${row.role}`, "data-testid": "message",
                     "data-role": row.role, "data-message-id": row.messageId },
        h(StreamText, row),
        row.edits && h(EditButton, { message: row.messageId })))),
    h(Outbox, { sid: props.sid, onRelease: event("release") }),
    h(Composer, {
      ...rest, onSend: event("send"), onStop: event("stop"), onAsk: event("ask"),
      onWithdraw: event("withdraw"), onDraft: event("draft"), onRewrite: event("rewrite"),
    }, props.settings && h(SessionSettings, { ...props.settings, carries: true, onConfigure: event("configure") })));
}

window.page = {
  /** Change props of the page; each call is drawn before it returns, as an event of the socket is. */
  set({ chunks, ...changes }) {
    Object.assign(props, changes, { version: {} });
    flushSync(() => {
      if (chunks) deliver(chunks);
      told();
    });
  },
  /** Where this text stands now: composer, outbox, conversation. */
  places(text) {
    const has = (elements, read) => [...elements].filter((each) => read(each).includes(text)).length;
    const all = (name) => document.querySelectorAll(`[data-testid=${name}]`);
    return [
      has(all("composer"), (each) => each.value),
      has(all("outbox-item"), (each) => each.querySelector(".cp-bubble").textContent),
      has(all("message"), (each) => each.textContent),
    ];
  },
};

function watchFrames() {
  const text = sessionStorage.getItem("watched");
  if (text) {
    const places = window.page.places(text).join("");
    const seen = JSON.parse(sessionStorage.getItem("frames") ?? "[]");
    if (seen.at(-1) !== places) sessionStorage.setItem("frames", JSON.stringify([...seen, places]));
  }
  requestAnimationFrame(watchFrames);
}

const root = document.getElementById("root");
const early = new URLSearchParams(location.search).get("early");
if (early) {
  // As a built page comes: drawn by a server, and typed into before its script runs.
  root.innerHTML = renderToString(h(Page));
  document.querySelector("textarea").value = early;
  hydrateRoot(root, h(Page));
} else {
  createRoot(root).render(h(Page));
}
requestAnimationFrame(watchFrames);
