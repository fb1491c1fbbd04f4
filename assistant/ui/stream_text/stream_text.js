/**
 * What the page imports: `StreamFeed`, one a page, does what belongs to no row; `StreamText`, one a row, shows
 * a message. Chunks come by `deliver`.
 */

import { createElement as h, useEffect, useLayoutEffect } from "react";

import { Answer } from "./answer.js";
import { CopyButton } from "./copy_button.js";
import { Digest } from "./digest.js";
import { readBack, startKeeping } from "./keeping.js";
import { signal } from "../composer/signal.js";
import { spelledOut, take, view } from "./store.js";
import { useView } from "./use_view.js";
import { arrived, askWholeBy, said } from "./whole.js";

const RECENT_SESSION = "recent-session";
const WRITTEN_ON = { state: "streaming", reason: "", live: true };
/** Frames are not drawn in a tab in the background; it becomes ready all the same. */
const LONGEST_FRAME_MS = 200;

if (typeof window !== "undefined") readBack();

const unasked = [];
let ask = (...place) => unasked.push(place);
let askNearer = () => false;

const { listen, changed } = signal();

/** Call `tell(chunks)` with what was delivered of answers that are being written; returns how to end that. */
export { listen as listenToNews };

/** Take chunks; asks for text that is missing before one of them, once a place. */
export function deliver(chunks) {
  const told = spelledOut(chunks);
  const before = new Map(told.map(({ m }) => [m, view(m)]));
  for (const { m, op, x } of told) if (op === "aside") arrived(m, x);
  for (const place of take(told)) if (!askNearer(place)) ask(...place);
  const isNews = ({ m }) => view(m).task && (!view(m).ended || (before.get(m).task && !before.get(m).ended));
  const news = told.filter(isNews).map((chunk) => ({ ...chunk, t: view(chunk.m).task }));
  if (news.length > 0) changed(news);
}

/** Ask the server for the text of a message, which that task fills, beyond what is held. */
export function askServer(message, task) {
  const { attempt, offset, crc } = view(message);
  ask(message, task, attempt, offset, crc);
}

/** Let `take(place)` say whether it asks somebody nearer for the text that is missing at a place. */
export function askBy(take) {
  askNearer = take;
}

/** Names the session in the URL, keeps unfinished answers, and says when the page is ready. */
export function StreamFeed({ sid, ready, onMissed, onWhole }) {
  useLayoutEffect(() => {
    askWholeBy(onWhole ?? (() => {}));
    ask = onMissed ?? (() => {});
    for (const place of unasked.splice(0)) ask(...place);
  });
  useEffect(() => nameSession(sid), [sid]);
  useLayoutEffect(() => sayReady(ready), [ready]);
  useEffect(startKeeping, []);
  return null;
}

/**
 * One message: the user's words as they are, or an answer with its reasoning and its calls. An answer that ended while
 * the last of its text is on its way from another tab is shown as one that is being written until it is here.
 */
export function StreamText({ messageId, taskId, state, reason, role, live, calls, ...about }) {
  const view = useView(messageId, live);
  if (role === "user") {
    return h("div", { className: "st-user", dir: "auto" },
      view.parts.map((part) => part.text).join(""),
      view.whole > 0 && h(Digest, { message: messageId, whole: view.whole }));
  }
  const stands = view.mark === null ? { state, reason, live: Boolean(live) } : WRITTEN_ON;
  return h(Answer, { messageId, taskId, ...stands, view, calls, ...about });
}

/** Copies what a message says, without its reasoning. */
export function CopyMessage({ message }) {
  return h(CopyButton, { text: () => said(message), className: "icon-button", name: "copy", says: "text.copyMessage" });
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
