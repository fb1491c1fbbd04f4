/**
 * The outbox: what was sent and is not yet seen in the conversation, in localStorage `outbox:<key>` and here.
 *
 *     send ──> sending ──accepted──> accepted ──shown──> (gone)
 *               ^ │ │
 *               │ │ └──refused──> refused ─┐
 *               │ └────unknown──> unsent ──┤
 *               └───────────send───────────┤
 *                                          └─withdraw─> withdrawing ──withdrawn──> (gone)
 *
 * `accepted` and `shown` win over everything else: the text is in the conversation then. Only `send` and
 * `resend` let a message go out, and only a click or a key calls them (I5). `code`, `words` and `wish` are
 * kept with the item, so that a reload and another tab know why it was refused and what was wanted of it.
 */

import { isShown, listenToSent } from "../stream_text/store.js";
import * as asking from "./asking.js";
import { namesOf, read, remove, write, writeIfRoom } from "./browser_storage.js";
import * as drafts from "./drafts.js";
import { newKey } from "./request_key.js";
import { signal } from "./signal.js";

export const PREFIX = "outbox:";

/** The table of moves: state -> event -> state. An event that is not here changes nothing. */
export const MOVES = {
  sending: { accepted: "accepted", refused: "refused", unknown: "unsent", withdrawn: "gone" },
  unsent: {
    accepted: "accepted", refused: "refused", withdrawn: "gone", send: "sending", withdraw: "withdrawing",
  },
  refused: {
    accepted: "accepted", refused: "refused", withdrawn: "gone", send: "sending", withdraw: "withdrawing",
  },
  withdrawing: { accepted: "accepted", stillRefused: "refused", unknown: "unsent", withdrawn: "gone" },
  accepted: {},
};

/** Nothing is ever done again under such a key; a new press of Send needs a new one. */
const DEAD_KEY = new Set(["request_withdrawn", "idempotency_key_reused"]);
/** An accepted message that this page does not show by then stands elsewhere: further up, on another branch. */
const LINGER_MS = 10_000;

const items = new Map();
const { listen, changed: tell } = signal();
const NOTHING = Object.freeze({ items: Object.freeze([]), sending: false, canSend: false });
let view = NOTHING;
let server = { send() {}, ask() {}, withdraw() {} };
let session;
let cameFrom;
/** The session that the first message of this new page made, until the page shows it. */
let born = "";
let ready = false;
let canSend = false;

export { listen };

/** The session that the page shows; undefined before it shows any. */
export function sessionShown() {
  return session;
}

/** The items of this session, the oldest first, and whether one of them is on its way. */
export function current() {
  return view;
}

/** Before the page is alive. */
export function nothing() {
  return NOTHING;
}

/** Read what is kept and follow the other tabs and the conversation; returns how to end that. */
export function start() {
  for (const name of namesOf(PREFIX)) {
    const stored = read(name);
    if (!stored?.key) remove(name);
    else if (!items.has(stored.key)) add({ ...stored, kept: true, state: stored.session ? "accepted" : "sending" });
  }
  removeShown();
  const endListening = listenToSent(removeShown);
  window.addEventListener("storage", takeFromStorage);
  return () => {
    endListening();
    window.removeEventListener("storage", takeFromStorage);
    asking.pause();
    session = undefined;
    ready = false;
  };
}

/** How the server is reached: `send(key, text, sid)`, `ask(keys)`, `withdraw(key)`; the newest counts. */
export function reachBy(ways) {
  server = ways;
  asking.askBy((keys) => {
    for (const key of keys) items.get(key).asked = true;
    server.ask(keys);
  });
}

/** Which session the page shows, whether it is restored and connected, and whether it takes a message now. */
export function setPage(sid, isReady, takesMessages) {
  if (sid !== session) {
    // Before the composer turns to the session, so that it keeps its text and caret.
    if (born && born === sid && session === "") drafts.followInto(sid);
    born = "";
    cameFrom = session;
    session = sid;
    drafts.open(sid);
    for (const item of items.values()) item.here = false;
  }
  if (isReady !== ready) {
    ready = isReady;
    const waiting = [...items.values()].filter(({ state }) => state === "sending" || state === "withdrawing");
    if (ready) asking.resume(waiting.map(({ key }) => key));
    else asking.pause();
    if (ready) drafts.resume();
  }
  canSend = takesMessages;
  changed();
}

/** Send the composer's text: it moves into the outbox in the same tick. False when it may not go now. */
export function send() {
  return !drafts.isEmpty() && sendText(drafts.text(), drafts.clear);
}

/** Send a text from elsewhere, such as an example; `taken` lets go of it where it stood. */
export function sendText(text, taken = () => {}) {
  if (!canSend || view.sending) return false;
  const item = { key: newKey(), sid: session, text, at: Date.now(), state: "sending" };
  item.kept = writeIfRoom(PREFIX + item.key, stored(item));
  taken();
  if (!item.kept) keep(item);
  go(item);
  return true;
}

/** Send an item again that did not go: the same key and text, so that it is one message whatever happened. */
export function resend(key) {
  const item = items.get(key);
  if (!canSend || view.sending || !MOVES[item?.state]?.send) return;
  const again = { ...item, state: MOVES[item.state].send, code: undefined, words: undefined, wish: undefined };
  if (DEAD_KEY.has(item.code)) again.key = newKey();
  keep(again);
  if (again.key !== key) drop(item);
  go(again);
}

/** Take an item back, to "edit" or to "discard" it; what happens is for the server's reply to say. */
export function withdraw(key, wish) {
  const item = items.get(key);
  if (!MOVES[item?.state]?.withdraw) return;
  Object.assign(item, { wish, state: MOVES[item.state].withdraw, asked: true });
  keep(item);
  asking.expectReply(key);
  changed();
  server.withdraw(key);
}

/** Take replies `{key, state, ...}` of the server in order; old ones may come again with the new. */
export function takeReplies(replies) {
  for (const reply of replies) take(reply);
  changed();
}

function take(reply) {
  const item = items.get(reply.key);
  // "Unknown" answers a question; to another one than the last when no question is out.
  if (reply.state === "unknown" && !item?.asked) return;
  const next = MOVES[item?.state]?.[eventOf(reply, item)];
  if (!next) return;
  asking.settle(item.key);
  item.asked = false;
  if (next === "gone") {
    // Another tab may have had the same reply. Whoever sees its draft must also see that the item is gone,
    // so the item goes first; both writes leave in one tick.
    const isMineToPutBack = item.wish !== "discard" && isStillKept(item);
    drop(item);
    if (isMineToPutBack) drafts.putBefore(item.sid, item.text);
    return;
  }
  item.state = next;
  if (next === "accepted") accept(item, reply.session_id);
  if (reply.state === "refused") keep(Object.assign(item, { code: reply.code, words: reply.words }));
}

/** An item that was refused with words before is unknown to the server, and its words still hold. */
function eventOf(reply, item) {
  const holds = reply.state === "unknown" && item?.words;
  if (!holds) return reply.state;
  return item.state === "withdrawing" ? "stillRefused" : "refused";
}

function accept(item, sid) {
  item.here = item.sid === "" && session === "";
  item.session = sid;
  drafts.forget(item.sid);
  if (item.mine && item.sid === "") bear(sid);
  if (!isVisible(item) || isShown(item.key)) return drop(item);
  if (isStillKept(item)) keep(item);
  linger(item);
}

/** A first message made this session: the page shows it already, or will. */
function bear(sid) {
  if (session === "") born = sid;
  else if (session === sid && cameFrom === "") drafts.followInto(sid);
}

function linger(item) {
  setTimeout(() => {
    if (items.get(item.key) !== item) return;
    if (!ready) return linger(item);
    drop(item);
    changed();
  }, LINGER_MS);
}

function removeShown() {
  const shown = [...items.values()].filter(({ key }) => isShown(key));
  for (const item of shown) {
    drafts.forget(item.sid);
    if (item.mine && item.sid === "" && !item.session && session) bear(session);
    drop(item);
  }
  if (shown.length > 0) changed();
}

function takeFromStorage({ key: name, newValue }) {
  if (name?.startsWith(drafts.PREFIX)) drafts.takeFromStorage(name, newValue && read(name));
  if (!name?.startsWith(PREFIX)) return;
  const mine = items.get(name.slice(PREFIX.length));
  const theirs = newValue && read(name);
  if (theirs) {
    const state = theirs.session ? "accepted" : theirs.wish ? "withdrawing" : theirs.words ? "refused" : "sending";
    const wasMine = { mine: mine?.mine, here: mine?.here };
    add({ code: undefined, words: undefined, wish: undefined, ...theirs, ...wasMine, kept: true, state });
  } else if (mine && (!mine.wish || mine.state === "accepted")) {
    // It was seen in another tab's conversation; here it stays until this one shows it.
    Object.assign(mine, { state: "accepted", kept: false });
    asking.settle(mine.key);
    linger(mine);
  } else if (mine) {
    drop(mine);
  }
  removeShown();
  changed();
}

function go(item) {
  Object.assign(item, { mine: true, asked: false });
  items.set(item.key, item);
  asking.expectReply(item.key);
  changed();
  server.send(item.key, item.text, item.sid);
}

function add(item) {
  items.set(item.key, item);
  if (item.state === "accepted") linger(item);
  else if (item.state !== "refused") asking.expectReply(item.key);
}

function drop(item) {
  asking.settle(item.key);
  items.delete(item.key);
  remove(PREFIX + item.key);
}

function keep(item) {
  item.kept = write(PREFIX + item.key, stored(item));
}

/** What is kept of an item; what is undefined is left out. */
function stored({ key, sid, text, at, session: sessionMade, code, words, wish }) {
  return { key, sid, text, at, session: sessionMade, code, words, wish };
}

function isStillKept(item) {
  return !item.kept || read(PREFIX + item.key) !== null;
}

function isVisible(item) {
  return item.here || (item.session ?? item.sid) === session;
}

function changed() {
  const visible = [...items.values()].filter(isVisible).sort((one, other) => one.at - other.at);
  view = {
    items: visible.map(({ key, text, state, words }) => ({ key, text, state, words })),
    sending: visible.some(({ state }) => state === "sending"),
    canSend,
  };
  tell();
}
