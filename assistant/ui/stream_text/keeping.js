/**
 * What survives a reload: the text of unfinished answers, in sessionStorage.
 *
 * `answer:<task>` is `{message, attempt, text, parts}`. `have` is `{task or message: [attempt, offset, crc]}`,
 * of unfinished answers and of messages that are whole, which the server reads with every connection, so that
 * it sends only what is missing. It is written anew beside those texts, whenever a connection has ended
 * (`link/link.js`), and by a new document, from what it could read back, before it connects: it never promises a text
 * that is not there.
 */

import { newest, rangesOf, take, textOf, unfinished } from "./store.js";

const PREFIX = "answer:";
const HAVE = "have";
/** Answers of sessions that this tab left behind are not told when they end; only the newest are kept. */
const MOST_ANSWERS = 8;
const MOST_MESSAGES = 200;
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
  tellHave();
}

/** Say what is held: before the socket opens, and when it has closed, since nothing more comes then. */
export function tellHave() {
  write(HAVE, JSON.stringify(have()));
}

/** Write what changed since the last time, and drop what has ended. */
export function keep() {
  const kept = new Set();
  const answers = unfinished().slice(-MOST_ANSWERS);
  for (const [message, held] of answers) {
    const { task, attempt } = held;
    kept.add(task);
    if (written.get(task) !== held) {
      const parts = rangesOf(held);
      if (write(PREFIX + task, JSON.stringify({ message, attempt, text: textOf(held), parts }))) written.set(task, held);
    }
  }
  for (const name of keptNames()) {
    if (kept.has(name.slice(PREFIX.length))) continue;
    sessionStorage.removeItem(name);
    written.delete(name.slice(PREFIX.length));
  }
  tellHave();
}

function have() {
  const told = {};
  for (const [message, { task, attempt, offset, crc, ended }] of newest(MOST_MESSAGES)) {
    told[task && !ended ? task : message] = [attempt, offset, crc];
  }
  return told;
}

/** Keep from now on: every two seconds, and when the page is hidden or left; returns how to end that. */
export function startKeeping() {
  // Out of the back/forward cache another document of this tab may have said what it holds.
  const turned = () => (document.visibilityState === "hidden" ? keep() : tellHave());
  const beat = setInterval(keep, KEEP_EVERY_MS);
  window.addEventListener("pagehide", keep);
  window.addEventListener("pageshow", tellHave);
  document.addEventListener("visibilitychange", turned);
  return () => {
    clearInterval(beat);
    window.removeEventListener("pagehide", keep);
    window.removeEventListener("pageshow", tellHave);
    document.removeEventListener("visibilitychange", turned);
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
