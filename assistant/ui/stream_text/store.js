/**
 * The texts that this page shows: message id -> attempt, parts and gap, with the views of them.
 *
 * Chunks are taken by the rule of `domain.frames.receive`, to the letter, so a chunk that comes twice or
 * late changes nothing. A view is frozen: a new one is made for each batch that changed a message. Where `whole` is
 * not 0, what is held is a digest of so many code points.
 */

import { countCodePoints, extendChecksum, indexOfCodePoint } from "./code_points.js";

const entries = new Map();
const listeners = new Map();
const sentMessages = new Map();
const sentListeners = new Set();
/** The end of a message's id, which may stand for it once it was told -> the id. */
const shortNames = new Map();
const SHORT_NAME = 8;

/** What is shown of a message of which nothing has come yet. */
export const NOTHING = Object.freeze({
  task: "", attempt: 0, offset: 0, crc: 0, parts: Object.freeze([]), gap: null, ended: false, mark: null, whole: 0,
});

/**
 * Take chunks in the order in which they came, then tell the listeners once.
 *
 * Returns the places `[message, task, attempt, offset, crc]` of messages that miss text before a chunk, each
 * place once.
 */
export function take(chunks) {
  const changed = new Set();
  const missed = [];
  for (const said of chunks) {
    const message = named(said);
    if (message === undefined) continue;
    const chunk = { ...said, m: message };
    if (chunk.c) sentMessages.set(chunk.c, chunk.m);
    const before = entries.get(chunk.m) ?? NOTHING;
    const after = settled(takeOne(before, chunk));
    if (after === MISSED) {
      if (before.gap === null && before.asked !== before.offset) {
        entries.set(chunk.m, { ...before, asked: before.offset });
        missed.push([chunk.m, chunk.t || before.task, before.attempt, before.offset, before.crc]);
      }
    } else if (after !== before) {
      if (after === null) entries.delete(chunk.m);
      else entries.set(chunk.m, after);
      changed.add(chunk.m);
      if (after?.mark && after.mark !== before.mark) {
        missed.push([chunk.m, after.task, after.attempt, after.offset, after.crc]);
      }
    }
  }
  for (const message of changed) listeners.get(message)?.forEach((tell) => tell());
  if (chunks.some((chunk) => chunk.c)) tellOfSent();
  return missed;
}

/** The id of the chunk's message; undefined for the short name of one that was never told. */
function named({ m: message, n: name }) {
  if (message === undefined) return shortNames.get(name);
  shortNames.set(message.slice(-SHORT_NAME), message);
  return message;
}

/** The chunks with the whole ids of their messages; without those of messages that were never told. */
export function spelledOut(chunks) {
  return chunks.map(({ n, ...chunk }) => ({ ...chunk, m: named({ m: chunk.m, n }) })).filter(({ m }) => m !== undefined);
}

/** Whether the page knows that it lacks text of a message. */
export function lacks(message) {
  const { asked, offset, mark } = view(message);
  return asked === offset || mark !== null;
}

/** The view of a message now. */
export function view(message) {
  return entries.get(message) ?? NOTHING;
}

/** Call `tell` after each batch that changed the message; returns how to end that. */
export function listen(message, tell) {
  if (!listeners.has(message)) listeners.set(message, new Set());
  const told = listeners.get(message);
  told.add(tell);
  tellOfSent();
  return () => {
    told.delete(tell);
    if (told.size === 0) listeners.delete(message);
  };
}

/** Whether the message that was sent under this key is on the page: its text is held and a row shows it. */
export function isShown(key) {
  const message = sentMessages.get(key);
  return entries.has(message) && listeners.has(message);
}

/** Call `tell` when a sent message may have come onto the page; returns how to end that. */
export function listenToSent(tell) {
  sentListeners.add(tell);
  return () => sentListeners.delete(tell);
}

/** Forget the texts of messages that no row shows any more; answers that are being written are kept. */
export function forget(messages) {
  const gone = new Set(messages.filter((message) => !view(message).task || view(message).ended));
  for (const message of gone) {
    entries.delete(message);
    if (shortNames.get(message.slice(-SHORT_NAME)) === message) shortNames.delete(message.slice(-SHORT_NAME));
  }
  for (const [key, message] of sentMessages) if (gone.has(message)) sentMessages.delete(key);
}

/** The messages whose task has not ended, as `[message, view]`, those that came first first. */
export function unfinished() {
  return [...entries].filter(([, held]) => held.task && !held.ended && held.offset > 0);
}

/** The last so many messages of which text is held, as `[message, view]`. */
export function newest(count) {
  return [...entries].filter(([, held]) => held.offset > 0).slice(-count);
}

/** The whole string that is held. */
export function textOf(held) {
  return held.parts.map((part) => part.text).join("");
}

/** The parts as ranges of code points, in the shape in which `replace` brings them. */
export function rangesOf(held) {
  let start = 0;
  return held.parts.map((part) => {
    const range = [part.kind, start, (start += countCodePoints(part.text))];
    return part.call ? [...range, part.call] : range;
  });
}

function tellOfSent() {
  if (sentMessages.size > 0) sentListeners.forEach((tell) => tell());
}

const MISSED = Symbol("missed");

/** An answer is whole when its text is the one that its mark speaks of. */
function settled(held) {
  if (!held?.mark || held.offset !== held.mark.offset || held.crc !== held.mark.crc) return held;
  return { ...held, attempt: Math.max(held.attempt, held.mark.attempt), ended: true, mark: null, asked: undefined };
}

function takeOne(held, chunk) {
  if (chunk.op === "drop") return entries.has(chunk.m) ? null : held;
  // Another task fills this message now: it counts its attempts from 1.
  if (chunk.t && held.task && chunk.t !== held.task) held = NOTHING;
  const task = chunk.t || held.task;
  switch (chunk.op ?? "text") {
    case "text": {
      const after = receive(held, chunk);
      return after === MISSED || after === held ? after : { ...after, task };
    }
    case "replace":
      return { ...wholeText(chunk.a, chunk.x, chunk.p), task, gap: null, ended: held.ended, mark: held.mark, whole: chunk.w ?? 0 };
    case "gap":
      return { ...held, task, gap: { from: chunk.from, to: chunk.to } };
    case "end":
      // Told of text that comes another way: it may be late, or lost.
      if (chunk.crc !== undefined && (held.offset !== chunk.o || held.crc !== chunk.crc)) {
        return { ...held, task, ended: false, mark: { attempt: chunk.a ?? 0, offset: chunk.o, crc: chunk.crc } };
      }
      return held.ended ? held : { ...held, task, attempt: Math.max(held.attempt, chunk.a ?? 0), ended: true };
    default:
      return held;
  }
}

function receive(held, { a: attempt, o: offset, x: text, k: kind = "text", b: base = offset, f: after = attempt }) {
  if (attempt < held.attempt) return held;
  let have = held.offset;
  if (attempt > held.attempt) {
    if (held.attempt < after) return MISSED;
    have = Math.min(have, base);
  }
  if (offset > have) return MISSED;
  const news = text.slice(indexOfCodePoint(text, have - offset));
  if (!news && attempt === held.attempt) return held;
  const kept = have < held.offset ? cut(held, have) : held;
  const gap = news ? null : held.gap;
  return { ...append(kept, kind, news), attempt, gap, ended: false, asked: undefined, whole: 0 };
}

function append(held, kind, text) {
  if (!text) return held;
  const parts = [...held.parts];
  const last = parts.at(-1);
  if (last?.kind === kind) parts[parts.length - 1] = { ...last, text: last.text + text };
  else parts.push({ kind, text });
  const offset = held.offset + countCodePoints(text);
  return { ...held, parts, offset, crc: extendChecksum(held.crc, text) };
}

function cut(held, offset) {
  const parts = [];
  let start = 0;
  let crc = 0;
  for (const part of held.parts) {
    // As `Transcript.cut`: a tool call that stands exactly at the cut is kept, an empty text is not.
    if (start > offset || (start === offset && part.kind !== "tool_call")) break;
    const text = part.text.slice(0, indexOfCodePoint(part.text, offset - start));
    parts.push({ ...part, text });
    crc = extendChecksum(crc, text);
    start += countCodePoints(part.text);
  }
  return { ...held, parts, offset, crc };
}

function wholeText(attempt, text, ranges) {
  let index = 0;
  let at = 0;
  const parts = (ranges ?? [["text", 0, Infinity]]).map(([kind, , end, call]) => {
    const rest = text.slice(index);
    const piece = end === Infinity ? rest : rest.slice(0, indexOfCodePoint(rest, end - at));
    index += piece.length;
    at = end;
    return call ? { kind, text: piece, call } : { kind, text: piece };
  });
  return { ...NOTHING, attempt, parts, offset: countCodePoints(text), crc: extendChecksum(0, text) };
}
