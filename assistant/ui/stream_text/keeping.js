/**
 * What survives a reload: the text of unfinished answers, in sessionStorage.
 *
 * `answer:<task>` is `{message, attempt, text, parts}`; `have` is `{task: [attempt, offset, crc]}`, which
 * the server reads when the page loads. Both are written together, so that `have` never promises a text
 * that is not kept.
 */

import { rangesOf, take, textOf, unfinished } from "./store.js";

const PREFIX = "answer:";
const HAVE = "have";
/** Answers of sessions that this tab left behind are not told when they end; only the newest are kept. */
const MOST_ANSWERS = 8;
const KEEP_EVERY_MS = 2000;

const written = new Map();

/** Put the kept answers into the store, so that a row shows its text as soon as it is there. */
export function readBack() {
  for (const name of keptNames()) {
    try {
      const { message, attempt, text, parts } = JSON.parse(sessionStorage.getItem(name));
      take([{ m: message, t: name.slice(PREFIX.length), op: "replace", a: attempt, x: text, p: parts }]);
    } catch {
      sessionStorage.removeItem(name);
    }
  }
}

/** Write what changed since the last time, and drop what has ended. */
export function keep() {
  const have = {};
  const answers = unfinished().slice(-MOST_ANSWERS);
  for (const [message, held] of answers) {
    const { task, attempt, offset, crc } = held;
    if (written.get(task) !== held) {
      const parts = rangesOf(held);
      if (!write(PREFIX + task, JSON.stringify({ message, attempt, text: textOf(held), parts }))) continue;
      written.set(task, held);
    }
    have[task] = [attempt, offset, crc];
  }
  for (const name of keptNames()) {
    if (name.slice(PREFIX.length) in have) continue;
    sessionStorage.removeItem(name);
    written.delete(name.slice(PREFIX.length));
  }
  write(HAVE, JSON.stringify(have));
}

/** Keep from now on: every two seconds, and when the page is hidden or left; returns how to end that. */
export function startKeeping() {
  const hidden = () => document.visibilityState === "hidden" && keep();
  const beat = setInterval(keep, KEEP_EVERY_MS);
  window.addEventListener("pagehide", keep);
  document.addEventListener("visibilitychange", hidden);
  return () => {
    clearInterval(beat);
    window.removeEventListener("pagehide", keep);
    document.removeEventListener("visibilitychange", hidden);
  };
}

function keptNames() {
  return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
}

/** False when the browser has no room or forbids it: the server then sends that text again. */
function write(name, value) {
  try {
    if (sessionStorage.getItem(name) !== value) sessionStorage.setItem(name, value);
    return true;
  } catch {
    sessionStorage.removeItem(name);
    return false;
  }
}
