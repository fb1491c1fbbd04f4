/**
 * What the page imports: `StreamFeed`, one a page, does what belongs to no row; `StreamText`, one a row, shows
 * a message. Chunks come by `deliver`.
 */

import { createElement as h, useEffect, useLayoutEffect } from "react";

import { Answer } from "./answer.js";
import { CopyButton } from "./copy_button.js";
import { readBack, startKeeping } from "./keeping.js";
import { take, view } from "./store.js";
import { useView } from "./use_view.js";
import { words } from "./words.js";

const RECENT_SESSION = "recent-session";
/** Frames are not drawn in a tab in the background; it becomes ready all the same. */
const LONGEST_FRAME_MS = 200;

if (typeof window !== "undefined") readBack();

const unasked = [];
let ask = (...place) => unasked.push(place);

/** Take chunks; asks for text that is missing before one of them, once a place. */
export function deliver(chunks) {
  for (const place of take(chunks)) ask(...place);
}

/** Names the session in the URL, keeps unfinished answers, and says when the page is ready. */
export function StreamFeed({ sid, ready, onMissed }) {
  useLayoutEffect(() => {
    ask = onMissed ?? (() => {});
    for (const place of unasked.splice(0)) ask(...place);
  });
  useEffect(() => nameSession(sid), [sid]);
  useLayoutEffect(() => sayReady(ready), [ready]);
  useEffect(startKeeping, []);
  return null;
}

/** One message: the user's words as they are, or an answer with its reasoning. */
export function StreamText({ messageId, taskId, state, reason, role, live }) {
  const view = useView(messageId, live);
  if (role === "user") {
    return h("div", { className: "st-user", dir: "auto" }, view.parts.map((part) => part.text).join(""));
  }
  return h(Answer, { messageId, taskId, state, reason, live: Boolean(live), view });
}

/** Copies what a message says, without its reasoning. */
export function CopyMessage({ message }) {
  const said = () => view(message).parts.filter(({ kind }) => kind === "text").map(({ text }) => text).join("");
  return h(CopyButton, { text: said, className: "icon-button", name: "copy", words: words().copyMessage });
}

/** Without a navigation: `?sid=` is what the next reload restores. */
function nameSession(sid) {
  if (!sid) return;
  const url = new URL(window.location.href);
  if (url.searchParams.get("sid") !== sid) {
    url.searchParams.set("sid", sid);
    window.history.replaceState(window.history.state, "", url);
  }
  try {
    localStorage.setItem(RECENT_SESSION, sid);
  } catch {
    // Without storage the bare address opens a new session; the URL still names this one.
  }
}

function sayReady(ready) {
  const root = document.documentElement;
  root.removeAttribute("data-ready");
  if (!ready) return undefined;
  let timer;
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(say);
  });
  timer = setTimeout(say, LONGEST_FRAME_MS);
  return quiet;

  function say() {
    quiet();
    root.setAttribute("data-ready", ready);
  }

  function quiet() {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  }
}
