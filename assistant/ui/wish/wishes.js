/**
 * Wishes of one click, each under a key of its own: done once, or clearly not done and offered again.
 *
 *     press ──> sent ──accepted──> (gone: the page shows what came of it)
 *                │ ├───refused───> (gone: the words say why)
 *                │ └─no reply for 8 s, a new link, a reload─> withdrawing ──withdrawn──> (gone: not done, said)
 *                │                                                 └───────accepted───> (gone)
 *
 * A wish is kept in localStorage `wish:<key>` until its fate is known, so a reload settles it too. It is never
 * sent a second time: what did not arrive is withdrawn, so that it cannot arrive late, and offered again (I5).
 */

import { namesOf, read, remove, write } from "../composer/browser_storage.js";
import * as hints from "../composer/hint.js";
import { newKey } from "../composer/request_key.js";
import { signal } from "../composer/signal.js";
import { said, wordAt, wordsOf } from "../words/tables.js";

const words = wordsOf("wish");

export const PREFIX = "wish:";

const REPLY_MS = 8000;

const pending = new Map();
const { listen, changed } = signal();
let withdraw = () => {};
let ready = false;

export { listen };

/** Whether a wish of this kind about this thing is on its way. */
export function isPending(kind, about) {
  for (const wish of pending.values()) if (wish.kind === kind && wish.about === about) return true;
  return false;
}

/** How a key is withdrawn at the server; the newest counts. */
export function withdrawBy(tell) {
  withdraw = tell;
}

/** Send a wish by `tell(key)`, once; `name` is the place of its words, for when it was not done. False when it cannot go now. */
export function send(kind, about, name, tell) {
  if (isPending(kind, about)) return true;
  if (!ready) {
    hints.say(words().offline);
    return false;
  }
  const key = newKey();
  const wish = { key, kind, about, name };
  write(PREFIX + key, wish);
  pending.set(key, wish);
  wait(wish);
  changed();
  tell(key);
  return true;
}

/** Whether the page is restored and connected: what was sent before that and got no reply is withdrawn. */
export function setReady(isReady) {
  if (isReady === ready) return;
  ready = isReady;
  for (const wish of pending.values()) {
    if (ready) takeBack(wish);
    else clearTimeout(wish.timer);
  }
}

/** Take replies `{key, state, code, details}` of the server; old ones may come again with the new. */
export function takeReplies(replies) {
  for (const { key, state, code, details } of replies) {
    const wish = pending.get(key);
    if (!wish || state === "unknown") continue;
    forget(wish);
    if (state === "refused") hints.say(said({ code, ...details }));
    if (state === "withdrawn") hints.say(words().notDone({ name: wordAt(wish.name) }));
  }
}

/** Read what an earlier document of any tab left behind. */
export function start() {
  for (const name of namesOf(PREFIX)) {
    const wish = read(name);
    if (!wish?.key) remove(name);
    else if (!pending.has(wish.key)) pending.set(wish.key, wish);
  }
  const stored = ({ key: name, newValue }) => {
    const wish = name?.startsWith(PREFIX) && newValue === null && pending.get(name.slice(PREFIX.length));
    if (wish) forget(wish);
  };
  window.addEventListener("storage", stored);
  changed();
  return () => window.removeEventListener("storage", stored);
}

function wait(wish) {
  clearTimeout(wish.timer);
  wish.timer = setTimeout(takeBack, REPLY_MS, wish);
}

function takeBack(wish) {
  if (!ready) return;
  wait(wish);
  withdraw(wish.key);
}

function forget(wish) {
  clearTimeout(wish.timer);
  pending.delete(wish.key);
  remove(PREFIX + wish.key);
  changed();
}
