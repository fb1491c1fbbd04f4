/**
 * What the user has typed and not sent, one text a session, and one for each message of which another version
 * is being written, or that waits and is edited: localStorage `draft:<sid or new>`, `draft:<sid>/<message>` or
 * `draft:<sid>/queued:<key>` at once, the server a second later.
 *
 * A draft is `{text, version}`. The higher version wins, in another tab and from the server, unless the
 * user is typing here: then the text here gets a version above both. A draft that was sent is an empty text
 * of a higher version until the server has accepted it, so that no older copy brings it back (Case B159). It
 * takes away also what was typed a moment ago, where that is what was sent: the text that another place held too.
 */

import { read, remove, write } from "./browser_storage.js";
import { signal } from "./signal.js";

export const PREFIX = "draft:";

const REPORT_AFTER_MS = 1000;
const TYPING_MS = 10_000;
const NONE = Object.freeze({ text: "", version: 0 });

const held = new Map();
/** The text of a session that was last seen to be the same here and elsewhere. */
const agreed = new Map();
const { listen, changed } = signal();
let session = "";
let report = () => {};
let unreported = null;
let typedAt = -Infinity;
let composing = false;

export { listen };

/** How the server is told of a draft: session, text and version; the newest counts. */
export function reportBy(tell) {
  report = tell;
}

/** The text in the composer. */
export function text() {
  return draftOf(session).text;
}

export function isEmpty() {
  return !/\S/.test(text());
}

/** The page shows another session: its draft comes, the one before is kept. */
export function open(sid) {
  reportNow();
  session = sid;
  typedAt = -Infinity;
  changed();
}

/** Show a text at a place where nothing is written yet, or `again` where it was not changed; kept once it is typed into. */
export function begin(place, given, { again = false } = {}) {
  if (again) take(place);
  if (!draftOf(place).text && read(nameOf(place)) === null) held.set(place, { text: given, version: 0 });
  if (place === session) changed();
}

/** Take away what is written at a place; "" when nothing is, or when another tab was first. */
export function take(place) {
  const { text: mine, unkept } = draftOf(place);
  const isThere = unkept || read(nameOf(place)) !== null;
  held.delete(place);
  remove(nameOf(place));
  return isThere ? mine : "";
}

/** The user changed the text in the composer. */
export function typed(news) {
  typedAt = performance.now();
  keep(session, news);
  reportSoon();
  changed();
}

/** While an input method composes, nothing else changes the text. */
export function compose(begins) {
  composing = begins;
}

/** The text of this session was sent: empty from now on. */
export function clear() {
  typedAt = -Infinity;
  keep(session, "");
  reportSoon();
  reportNow();
  changed();
}

/** The server has what was sent, so the empty draft has done its work. */
export function forget(sid) {
  if (draftOf(sid).text === "") remove(nameOf(sid));
}

/** Put a text before what this session's draft holds. */
export function putBefore(sid, before) {
  const after = draftOf(sid).text;
  keep(sid, after.trim() ? `${before}\n\n${after}` : before);
  if (sid === session) {
    reportSoon();
    changed({ caret: before.length });
  } else {
    tell(sid);
  }
}

/** What was typed on the new page after its first message went out belongs to the session that this made. */
export function followInto(sid) {
  const { text: typedSince } = draftOf("");
  if (!typedSince.trim()) return;
  putBefore(sid, typedSince);
  keep("", "");
  tell("");
  remove(nameOf(""));
}

/** The connection is back: what was told while it was away was lost, and is told again. */
export function resume() {
  if (typedAt > -Infinity) reportSoon();
}

/** A draft from the server or from another tab. */
export function offer({ sid, text: theirs, version }) {
  const mine = draftOf(sid);
  if (version === mine.version && theirs === mine.text) agreed.set(sid, theirs);
  if (!(version > mine.version)) return;
  const wasSent = theirs === "" && agreed.get(sid) === mine.text && !composing;
  if (sid === session && isTyping() && !wasSent) {
    held.set(sid, { ...mine, version });
    keep(sid, mine.text);
    reportSoon();
    return;
  }
  held.set(sid, { text: theirs, version });
  agreed.set(sid, theirs);
  write(nameOf(sid), { text: theirs, version });
  if (sid === session) changed();
}

/** Another tab wrote a draft. */
export function takeFromStorage(name, draft) {
  const sid = name === nameOf("") ? "" : name.slice(PREFIX.length);
  if (draft && held.has(sid)) offer({ sid, text: draft.text, version: draft.version });
}

/** Tell the server now what it would be told soon. */
export function reportNow() {
  if (unreported === null) return;
  clearTimeout(unreported);
  unreported = null;
  tell(session);
}

/** The server keeps the draft of a session; another version of a message, `<sid>/<message>`, only the browser. */
function tell(sid) {
  if (sid.includes("/")) return;
  const { text: mine, version } = draftOf(sid);
  report(sid, mine, version);
}

function reportSoon() {
  clearTimeout(unreported);
  unreported = setTimeout(reportNow, REPORT_AFTER_MS);
}

function isTyping() {
  return composing || performance.now() - typedAt < TYPING_MS;
}

function keep(sid, news) {
  const name = nameOf(sid);
  const draft = { text: news, version: Math.max(draftOf(sid).version, read(name)?.version ?? 0) + 1 };
  const isKept = write(name, draft);
  held.set(sid, { ...draft, unkept: !isKept });
  // An older text is better than none, but not once it was sent.
  if (!isKept && !news) remove(name);
}

function draftOf(sid) {
  if (!held.has(sid)) {
    const { text: kept, version } = read(nameOf(sid)) ?? NONE;
    held.set(sid, typeof kept === "string" ? { text: kept, version: Number(version) || 0 } : NONE);
  }
  return held.get(sid);
}

function nameOf(sid) {
  return PREFIX + (sid || "new");
}
