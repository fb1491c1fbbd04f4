/**
 * Where the calls stand in an answer: its parts cut at their offsets, which never change.
 *
 * The rows of the calls say where they stand, and nothing else does: so a text that comes late, again or anew
 * loses no call and moves none.
 */

import { countCodePoints, indexOfCodePoint } from "./code_points.js";

/**
 * The pieces of an answer in order: `{kind, text, start}`, and `{kind: "tool_call", call, start}` for each of
 * `calls` whose place the text has reached. `start` tells a piece from the others of its kind, for ever.
 */
export function placed(parts, calls) {
  const texts = parts.filter((part) => part.kind !== "tool_call");
  const waiting = [...calls].sort((one, other) => one.offset - other.offset);
  const pieces = [];
  let start = 0;
  for (const { kind, text } of texts) {
    let rest = text;
    const end = start + countCodePoints(text);
    while (waiting.length > 0 && waiting[0].offset < end) {
      const call = waiting.shift();
      const at = indexOfCodePoint(rest, call.offset - start);
      if (at > 0) pieces.push({ kind, text: rest.slice(0, at), start });
      pieces.push({ kind: "tool_call", call, start: call.offset });
      rest = rest.slice(at);
      start = call.offset;
    }
    pieces.push({ kind, text: rest, start });
    start = end;
  }
  for (const call of waiting) {
    if (call.offset <= start) pieces.push({ kind: "tool_call", call, start: call.offset });
  }
  return joined(pieces);
}

/** Text that goes on where another piece of its kind ended is one with it. */
function joined(pieces) {
  const whole = [];
  for (const piece of pieces) {
    const last = whole.at(-1);
    if (last && !piece.call && last.kind === piece.kind) whole[whole.length - 1] = { ...last, text: last.text + piece.text };
    else whole.push(piece);
  }
  return whole;
}
