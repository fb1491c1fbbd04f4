/**
 * What the composer edits, one thing a session: another version of a message, sent beside it, or the text of a
 * message that waits for its turn, saved in its place.
 *
 *     begin ──> editing ──save──> saving ──accepted──> (gone: the message reads so)
 *                │  ^               ├──refused, withdrawn──> editing (said why)
 *                │  └───────────────┘
 *                ├──cancel──> (gone: the message stays as it is)
 *                └──it waits no more──> (gone: what was written is in the session's draft, not sent)
 *
 * What is edited is kept a tab, in sessionStorage `editing:<sid>`: `{message}` or `{queued, was, saving}`. What is
 * written is a draft of its own, `<sid>/<message>` or `<sid>/queued:<key>`, which outlives tab and browser: of one
 * whose message waits no more, the first tab that hears of it puts the text where the user sees it.
 */

import * as wishes from "../wish/wishes.js";
import * as asking from "./asking.js";
import { namesOf } from "./browser_storage.js";
import * as drafts from "./drafts.js";
import * as hints from "./hint.js";
import { signal } from "./signal.js";
import { wordsOf } from "../words/tables.js";

const words = wordsOf("composer");

const KEPT = "editing:";
const WAITING = "queued:";
export const SAVE = "rewrite";

const OVER = new Set(["accepted", "withdrawn", "unknown"]);
/** Refusals after which the message is not there to be saved. */
const TOO_LATE = new Set(["request_accepted", "request_withdrawn", "not_found"]);
const NOTHING = Object.freeze({ message: "", queued: "", notice: "" });

const { listen, changed: redraw } = signal();
const asked = new Set();
let session = "";
let edited = {};
let view = NOTHING;
let texts = new Map();
let rewrite = () => {};
let showSaved = () => {};

export { listen };

/** The message of which another version is written, the key of the one whose text is edited, and what has to be said. */
export function current() {
  return view;
}

/** Before the page is alive. */
export function nothing() {
  return NOTHING;
}

/**
 * How a text is saved, by message key, text, the text that it replaces and the key of the wish; and who shows it, by
 * message key and text, until the list says so. The newest count.
 */
export function saveBy(tell, show) {
  rewrite = tell;
  showSaved = show;
}

/** The page shows another session: what was edited in it is, again. */
export function open(sid) {
  session = sid;
  texts = new Map();
  edited = read(sid);
  turn();
}

/** Write another version of a message, beside it; what is being written stays until that is done. */
export function version(message, text) {
  if (session === "") return;
  edit({ message });
  if (drafts.isEmpty()) drafts.typed(text);
}

/** Edit the text of a message that waits, in the composer. */
export function waiting(key, text) {
  edit({ queued: key, was: text });
}

/** Edit nothing, or have read what was said; what was written of an edit is forgotten. */
export function cancel() {
  if (edited.message) {
    drafts.clear();
    drafts.forget(place());
    edit({});
  } else if (edited.queued && !isSaving()) {
    leave();
  } else {
    say("");
  }
}

/** Whether something is edited, or there is something to read. */
export function isOpen() {
  return Boolean(edited.message || edited.queued || view.notice);
}

/** Whether the text is on its way, and is not to be changed. */
export function isSaving() {
  return Boolean(edited.saving) && wishes.isPending(SAVE, edited.queued);
}

/** Save the text in the place of the one that waits. False when that cannot be asked for now. */
export function save() {
  const { queued, was } = edited;
  const text = drafts.text();
  if (text === was) return leave();
  return wishes.send(SAVE, queued, "composer.save", (key) => {
    edited = { ...edited, saving: key };
    keep();
    say("");
    rewrite(queued, text, was, key);
  });
}

/** The messages that wait, `{key, text}`. */
export function setQueue(rows) {
  texts = new Map(rows.map(({ key, text }) => [key, text]));
  for (const key of texts.keys()) asked.delete(key);
  meetChange();
}

/** The messages of which an edited text is held and that are not in the list: what became of them is to be asked. */
export function missing() {
  const prefix = `${drafts.PREFIX}${session}/${WAITING}`;
  const keys = new Set(session ? namesOf(prefix).map((name) => name.slice(prefix.length)) : []);
  if (edited.queued) keys.add(edited.queued);
  return [...keys].filter((key) => !texts.has(key));
}

/** Whether an edited text of this message is held, about which a question goes out. */
export function asks(key) {
  const isHeld = missing().includes(key);
  if (isHeld) asked.add(key);
  return isHeld;
}

/** Take a reply `{key, state, code}` of the server about a message or about a save. */
export function takeReply({ key, state, code }) {
  if (edited.saving && key === edited.saving && state !== "unknown") settle(state, code);
  // A reply that says "queued" may be an old one, come again with another.
  if (!asked.has(key) || !OVER.has(state)) return;
  asked.delete(key);
  asking.settle(key);
  rescue(key, state === "accepted");
}

function settle(state, code) {
  const { queued } = edited;
  edited = { ...edited, saving: undefined };
  if (state === "accepted") {
    // In the same tick: the text must not be seen nowhere until the list comes.
    showSaved(queued, drafts.text());
    leave();
    return;
  }
  if (TOO_LATE.has(code)) {
    rescue(queued, code === "request_accepted");
    return;
  }
  keep();
  if (code === "request_edited") hints.say(words().editedElsewhere);
  meetChange();
}

/** The text that is edited was changed on another tab or device. */
function meetChange() {
  const { queued, was } = edited;
  const now = texts.get(queued);
  if (now === undefined || now === was || isSaving()) return;
  if (drafts.text() === now) {
    leave();
    return;
  }
  const isUntouched = drafts.text() === was;
  edited = { ...edited, was: now };
  keep();
  if (isUntouched) drafts.begin(place(), now, { again: true });
  else hints.say(words().editedElsewhere);
}

/** The message waits no more: what was written goes into the draft of the session, once, and is not sent. */
function rescue(key, wasSent) {
  const at = `${session}/${WAITING}${key}`;
  const isMine = edited.queued === key;
  const isUntouched = isMine && drafts.text() === edited.was;
  const text = drafts.take(at);
  if (isMine) edit({});
  if (text.trim() && !isUntouched) drafts.putBefore(session, text);
  const why = wasSent ? "sentFirst" : "removedFirst";
  if (text.trim() && !isUntouched) say(`${why}Kept`);
  else if (isMine) hints.say(words()[why]);
}

function leave() {
  drafts.take(place());
  edit({});
  return true;
}

function edit(what) {
  edited = what;
  keep();
  turn();
}

/** Have the composer show what is written at the place of what is edited. */
function turn() {
  if (edited.queued) drafts.begin(place(), edited.was ?? "");
  drafts.open(place());
  say("");
}

function say(notice) {
  view = Object.freeze({ message: edited.message ?? "", queued: edited.queued ?? "", notice });
  redraw();
}

/** Where a text is kept while it is written. */
function place() {
  if (edited.queued) return `${session}/${WAITING}${edited.queued}`;
  return edited.message ? `${session}/${edited.message}` : session;
}

function keep() {
  try {
    if (edited.queued || edited.message) sessionStorage.setItem(KEPT + session, JSON.stringify(edited));
    else sessionStorage.removeItem(KEPT + session);
  } catch {
    // Without storage a reload shows the draft of the session.
  }
}

function read(sid) {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT + sid)) ?? {};
  } catch {
    return {};
  }
}
