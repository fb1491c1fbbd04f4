/** What tabs tell each other of the texts that they hold: places, the rest from a place on, and what is news. */

import { countCodePoints, extendChecksum, indexOfCodePoint } from "../stream_text/code_points.js";
import { rangesOf, textOf, unfinished, view } from "../stream_text/store.js";

/** Where this tab stands in every answer that is being written: `[message, task, attempt, offset, crc]`. */
export function places() {
  return unfinished().map(([message]) => placeIn(message));
}

/** Where it stands in one. */
export function placeIn(message) {
  const { task, attempt, offset, crc } = view(message);
  return [message, task, attempt, offset, crc];
}

/** What this tab holds of unfinished answers, as the server reads it (`states/have.py`). */
export function haveOfUnfinished() {
  return JSON.stringify(Object.fromEntries(places().map(([, task, ...place]) => [task, place])));
}

/** Whether a tab at that place has text that this one lacks. */
export function isBehind([message, , attempt, offset]) {
  const held = view(message);
  return held.attempt < attempt || (held.attempt === attempt && held.offset < offset);
}

/** The chunks that bring a tab at this place to what is held here: the rest, or the whole; none when it has more. */
export function restAfter([message, , attempt, offset, crc]) {
  const held = view(message);
  if (!held.task || attempt > held.attempt || (attempt === held.attempt && offset > held.offset)) return [];
  const who = { m: message, t: held.task };
  const text = textOf(held);
  const goesOn = attempt === held.attempt && checksumUpTo(text, offset) === crc;
  const chunks = goesOn
    ? piecesAfter(held, offset).map((piece) => ({ ...who, op: "text", a: held.attempt, ...piece }))
    : [{ ...who, op: "replace", a: held.attempt, x: text, p: rangesOf(held) }];
  if (held.gap) chunks.push({ ...who, op: "gap", ...held.gap });
  if (held.ended) chunks.push({ ...who, op: "end", a: held.attempt });
  return chunks;
}

/** Whether a chunk of another tab brings anything: a whole text that is held, or more than it, does not. */
export function isNews({ m: message, t: task, op, a: attempt, x: text }) {
  const held = view(message);
  if (op !== "replace" || held.gap || (task && held.task && task !== held.task)) return true;
  return attempt === held.attempt ? !textOf(held).startsWith(text) : attempt > held.attempt;
}

function checksumUpTo(text, offset) {
  return extendChecksum(0, text.slice(0, indexOfCodePoint(text, offset)));
}

function piecesAfter({ parts }, offset) {
  const pieces = [];
  let start = 0;
  for (const { kind, text } of parts) {
    const end = start + countCodePoints(text);
    if (end > offset) {
      const from = Math.max(start, offset);
      pieces.push({ o: from, x: text.slice(indexOfCodePoint(text, from - start)), k: kind });
    }
    start = end;
  }
  return pieces;
}
