/**
 * The outbox: what was sent and is not yet seen in the conversation, in localStorage `outbox:<key>` and here.
 *
 *     send ──> sending ──accepted──> accepted ──shown──> (gone)
 *               │ ──queued──> queued ──accepted──┘ (its turn came)
 *               ^ │ │ └────────stop──────────────┐
 *               │ │ └──refused──> refused ─┐     │
 *               │ └────unknown──> unsent ──┤     │
 *               └───────────send───────────┤     v
 *                                          └─withdraw─> withdrawing ──withdrawn──> (gone)
 *
 * `queued` means that the server has it and sends it when its turn comes; it is the server's list that is shown.
 * `accepted` and `shown` win over everything else: the text is in the conversation then. Only `send` and
 * `resend` let a message go out, and only a click or a key calls them (I5). `code`, `details` and `wish` are
 * kept with the item, so that a reload and another tab know why it was refused and what was wanted of it.
 */

import { isShown, listenToSent } from "../stream_text/store.js";
import * as asking from "./asking.js";
import { namesOf, read, remove, write, writeIfRoom } from "./browser_storage.js";
import * as drafts from "./drafts.js";
import * as editing from "./editing.js";
import * as hints from "./hint.js";
import { newKey } from "./request_key.js";
import { giveBack, takeForFirst } from "./settings_kept.js";
import { signal } from "./signal.js";
import { wordsOf } from "../words/tables.js";

const words = wordsOf("composer");

export const PREFIX = "outbox:";

/** The table of moves: state -> event -> state. An event that is not here changes nothing. */
export const MOVES = {
  sending: {
    accepted: "accepted", queued: "queued", refused: "refused", unknown: "unsent", withdrawn: "gone",
    stop: "withdrawing",
  },
  unsent: {
    accepted: "accepted", queued: "queued", refused: "refused", withdrawn: "gone", send: "sending",
    withdraw: "withdrawing",
  },
  refused: {
    accepted: "accepted", queued: "queued", refused: "refused", withdrawn: "gone", send: "sending",
    withdraw: "withdrawing",
  },
  queued: { accepted: "accepted", withdrawn: "gone", unknown: "unsent", withdraw: "withdrawing" },
  withdrawing: { accepted: "accepted", stillRefused: "refused", unknown: "unsent", withdrawn: "gone" },
  accepted: {},
};

/** On its way: what comes back to it is asked for. */
const UNDER_WAY = new Set(["sending", "withdrawing"]);
/** Nothing is ever done again under such a key; a new press of Send needs a new one. */
const DEAD_KEY = new Set(["request_withdrawn", "idempotency_key_reused", "not_found"]);
/** An accepted message that this page does not show by then stands elsewhere: further up, on another branch. */
const LINGER_MS = 10_000;

const items = new Map();
const { listen, changed: redraw } = signal();
const NOTHING = Object.freeze({
  items: Object.freeze([]), sending: false, sendingHere: false, canSend: false, waits: false, paused: false,
});
let view = NOTHING;
let server = { send() {}, ask() {}, withdraw() {}, stop() {} };
let session;
let cameFrom;
/** The session that the first message of this new page made, until the page shows it. */
let born = "";
let ready = false;
let mayTake = false;
let mayGo = false;
const held = [];
let isBusy = false;

export { listen };

/** The session that the page shows; undefined before it shows any. */
export function sessionShown() {
  return session;
}

/** The items of this session, the oldest first, and whether one of them is on its way, and from this tab. */
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
    else if (!items.has(stored.key)) add({ ...stored, kept: true, state: startOf(stored) });
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

/**
 * How the server is reached: `send(key, text, sid, edits, queue, settings)`, `ask(keys)`, `withdraw(key)`, `stop(task)`,
 * `rewrite(key, text, replaces, wish)`.
 */
export function reachBy(ways) {
  server = ways;
  editing.saveBy(ways.rewrite, (key, text) => {
    if (items.has(key)) items.get(key).text = text;
  });
  asking.askBy((keys) => {
    const known = keys.filter((key) => editing.asks(key) || items.has(key));
    const takenBack = known.filter((key) => items.get(key)?.state === "withdrawing");
    for (const key of known) if (items.has(key)) items.get(key).asked = true;
    // Taking back is asked for until it is answered: a question would not keep a message from its turn.
    for (const key of takenBack) server.withdraw(key);
    const open = known.filter((key) => !takenBack.includes(key));
    if (open.length > 0) server.ask(open);
  });
}

/**
 * Which session the page shows, whether it is restored and connected (`ready`), whether a message may be sent
 * now (`takes`) and goes out at once (`carries`), and whether an answer is being written (`busy`).
 *
 * What is sent before the document's first connection goes out with it; if that fails, it was not sent.
 */
export function setPage(sid, { ready: isReady, takes, carries, busy }) {
  if (sid !== session) {
    // Before the composer turns to the session, so that it keeps its text and caret.
    if (born && born === sid && session === "") drafts.followInto(sid);
    born = "";
    cameFrom = session;
    session = sid;
    editing.open(sid);
    for (const item of items.values()) item.here = false;
  }
  if (isReady !== ready) {
    ready = isReady;
    const waiting = [...items.values()].filter(({ state }) => UNDER_WAY.has(state));
    if (ready) asking.resume([...new Set([...waiting.map(({ key }) => key), ...editing.missing()])]);
    else asking.pause();
    if (ready) drafts.resume();
  }
  isBusy = busy;
  mayTake = takes;
  mayGo = carries;
  for (const item of held.splice(0)) {
    if (mayGo) tell(item);
    else if (mayTake) held.push(item);
    else if (item.state === "sending") keep(Object.assign(item, { state: "unsent" }));
  }
  changed();
}

/** The messages that wait at the server for their turn, `{key, text, at, paused}`, the oldest first. */
export function setQueue(rows) {
  const told = new Set();
  for (const { key, text, at, paused } of rows) {
    told.add(key);
    const mine = items.get(key);
    // Its fate is asked for; the list may be one from before.
    if (mine?.state === "withdrawing") continue;
    // Its own time orders it among those that the server has not listed yet.
    if (!isShown(key)) add({ sid: session, at, ...mine, key, text, paused, state: "queued" });
    asking.settle(key);
    remove(PREFIX + key);
  }
  // One that is not in the list any more was sent, or taken back elsewhere; which, the server knows.
  const gone = [...items.values()].filter(
    (item) => item.state === "queued" && isVisible(item) && !told.has(item.key),
  );
  editing.setQueue(rows);
  asking.askAbout([...new Set([...gone.map(({ key }) => key), ...editing.missing()])]);
  changed();
}

/** Send the composer's text: it moves into the outbox in the same tick. False when it may not go now. */
export function send() {
  if (drafts.isEmpty()) return false;
  const { message, queued } = editing.current();
  if (queued) return editing.save();
  return sendText(drafts.text(), { edits: message || undefined, taken: message ? editing.cancel : clear });
}

function clear() {
  drafts.clear();
  editing.cancel();
}

/**
 * Send a text from elsewhere, such as an example; `taken` lets go of it where it stood. While an answer is
 * written, or others wait, it waits for its turn at the server; a version of a message cannot.
 */
export function sendText(text, { edits, taken = () => {} } = {}) {
  const queue = isBusy || view.sending || (view.waits && !view.paused);
  if (!mayTake || (queue && (edits || session === ""))) return false;
  const settings = session === "" ? takeForFirst() : undefined;
  const item = { key: newKey(), sid: session, text, at: Date.now(), state: "sending", edits, queue: queue || undefined, settings };
  item.kept = writeIfRoom(PREFIX + item.key, stored(item));
  taken();
  if (!item.kept) keep(item);
  go(item);
  return true;
}

/** Send an item again that did not go: the same key and text, so that it is one message whatever happened. */
export function resend(key) {
  const item = items.get(key);
  if (!view.canSend || !MOVES[item?.state]?.send) return;
  const again = { ...item, state: MOVES[item.state].send, code: undefined, details: undefined, wish: undefined };
  if (DEAD_KEY.has(item.code)) again.key = newKey();
  keep(again);
  if (again.key !== key) drop(item);
  go(again);
}

/** Take an item back, to "edit" or to "discard" it; what happens is for the server's reply to say. */
export function withdraw(key, wish) {
  const item = items.get(key);
  if (!MOVES[item?.state]?.withdraw) return;
  // What waits at the server goes out in its turn: it is taken back now, or not at all.
  if (item.state === "queued" && !mayGo) hints.say(words().offline);
  else takeBack(item, wish, MOVES[item.state].withdraw);
}

function takeBack(item, wish, state) {
  item.stops = item.state === "sending";
  item.waited = item.state === "queued" || undefined;
  Object.assign(item, { wish, state, asked: true });
  keep(item);
  asking.expectReply(item.key);
  changed();
  server.withdraw(item.key);
}

/** Take back what is on its way, as by Edit; what the server has taken already is stopped when it says so. */
export function stopSending() {
  for (const item of items.values()) {
    if (MOVES[item.state].stop && isVisible(item)) takeBack(item, "edit", MOVES[item.state].stop);
  }
}

/** Take replies `{key, state, ...}` of the server in order; old ones may come again with the new. */
export function takeReplies(replies) {
  for (const reply of replies) take(reply);
  changed();
}

function take(reply) {
  editing.takeReply(reply);
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
    // One that only waited was taken back elsewhere, where its text is now.
    const isMineToPutBack = item.state !== "queued" && item.wish !== "discard" && isStillKept(item);
    drop(item);
    if (isMineToPutBack && item.sid === "") giveBack(item.settings);
    if (isMineToPutBack && item.edits && item.sid === session) editing.version(item.edits, item.text);
    else if (isMineToPutBack) drafts.putBefore(item.sid, item.text);
    return;
  }
  item.state = next;
  if (next === "queued") remove(PREFIX + item.key);
  if (next === "accepted") accept(item, reply.session_id);
  if (next === "accepted" && item.stops && reply.task_id) server.stop(reply.task_id);
  if (reply.state === "refused") {
    // A session that is gone takes no text along: it stands on a new page, and would make a session of its own.
    if (reply.code === "not_found") Object.assign(item, { sid: "", edits: undefined, queue: undefined });
    keep(Object.assign(item, { code: reply.code, details: reply.details }));
  }
}

/** An item that was refused before is unknown to the server, and why it was refused still holds. */
function eventOf(reply, item) {
  const holds = reply.state === "unknown" && item?.code;
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
    const state = mine?.state === "queued" && !theirs.wish ? "queued" : theirs.code && !theirs.wish ? "refused" : startOf(theirs);
    const wasMine = { mine: mine?.mine, here: mine?.here };
    add({ code: undefined, details: undefined, wish: undefined, ...theirs, ...wasMine, kept: true, state });
  } else if (mine?.state === "queued") {
    // The server has it.
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
  if (mayGo) tell(item);
  else held.push(item);
}

function tell({ key, text, sid, edits, queue, settings, state }) {
  if (state === "sending") server.send(key, text, sid, edits ?? "", Boolean(queue), settings ?? {});
}

function add(item) {
  items.set(item.key, item);
  if (item.state === "accepted") linger(item);
  else if (UNDER_WAY.has(item.state)) asking.expectReply(item.key);
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
function stored({ key, sid, text, at, edits, queue, settings, session: sessionMade, code, details, wish, waited }) {
  return { key, sid, text, at, edits, queue, settings, session: sessionMade, code, details, wish, waited };
}

/** Where an item stands of which only what is kept is known: the server is asked about all but the accepted. */
function startOf({ session: sessionMade, wish }) {
  if (sessionMade) return "accepted";
  return wish ? "withdrawing" : "sending";
}

function isStillKept(item) {
  return !item.kept || read(PREFIX + item.key) !== null;
}

function isVisible(item) {
  return item.here || (item.session ?? item.sid) === session;
}

function changed() {
  const visible = [...items.values()].filter(isVisible).sort((one, other) => one.at - other.at);
  const queued = visible.filter(({ state }) => state === "queued");
  const sending = visible.some(({ state }) => state === "sending");
  view = {
    items: visible.map(({ key, text, state, details, code, waited }) => ({ key, text, state, details, code, waited })),
    sending,
    sendingHere: visible.some(({ state, mine }) => mine && state === "sending"),
    canSend: mayTake && !isBusy && !sending,
    waits: queued.length > 0,
    paused: queued.some(({ paused }) => paused),
  };
  redraw();
}
