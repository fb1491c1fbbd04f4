/**
 * What of a growing text is not shown yet, since the next characters decide what it is.
 *
 * `-` may become a list, a line or the underline of a heading; `**` may open or close; `| a |` may be the head of
 * a table. Shown at once, such an end would be one thing for a moment and another right after. It is held back
 * for as long as it is in doubt, which is a few characters, or a line of a table.
 */

/** What quotes and lists put before the text of a line. */
const CONTAINERS = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S|$))*/;
const LIST_MARK = /(?:[-*+]|\d{1,9}[.)])[ \t]+$/;
const MARKS_ALONE = /^(?:[-*_+=~`#$|: \t]+|\d{1,9}[.)]?|[-*_`~$]*\\)$/;
const BOX = /^\[(?:[ xX]\]?)?$/;
const DEFINITION = /^\[[^\]^][^\]]*\]:/;
const DELIMITERS = /^[-:| \t]*$/;
const UNDECIDED = /[*_~`$\\]+$/;
const LONGEST_LINE = 1000;
const LEAVES = new Set(["inline", "fence", "code_block", "math_block"]);

/** How much of `source` is shown while it grows; `tokens` are its blocks, and `after` is what is held back behind it. */
export function lengthShown(source, tokens, after) {
  const start = source.lastIndexOf("\n") + 1;
  const line = source.slice(start);
  if (line.length > LONGEST_LINE) return source.length;
  const at = tokens.findLastIndex(({ type }) => LEAVES.has(type));
  const row = source.split("\n").length - 1;
  const leaf = tokens[at];
  if (leaf && leaf.type !== "inline" && leaf.map[1] > row) return isHalfAFence(leaf, line, row) ? start : source.length;
  // Not blank yet: a list may go on there.
  if (line !== "" && /^[ \t>]*$/.test(line)) return start;

  const before = CONTAINERS.exec(line)[0];
  const rest = line.slice(before.length);
  const isText = tokens[at - 1]?.type === "paragraph_open";
  const head = isText ? headOfATable(source, start, rest, after) : null;
  if (head !== null) return head;
  const isMarked = LIST_MARK.test(before);
  const isInDoubt = rest === "" ? isMarked : MARKS_ALONE.test(rest) || DEFINITION.test(rest);
  return isInDoubt || (isMarked && BOX.test(rest)) ? start : source.length;
}

/** The text of the last run of inline text, without an end that may open or close something. */
export function decided(content) {
  return content.replace(UNDECIDED, "");
}

/** The line that opens a fence may still be code within a line; a run that is too short may still close one. */
function isHalfAFence({ type, map, markup }, line, row) {
  if (type !== "fence") return false;
  if (map[0] === row) return true;
  const run = line.replace(/^[ \t>]*/, "");
  return run !== "" && run.length < markup.length && run === markup[0].repeat(run.length);
}

/**
 * Where the row begins that a line of `|---|` would make the head of a table; null for any other text. A row under
 * which a whole line stands is none: the parser has seen that line.
 */
function headOfATable(source, start, rest, after) {
  const above = source.lastIndexOf("\n", start - 2) + 1;
  const isUnderARow = start > 0 && isRow(source.slice(above, start - 1));
  const next = rest || after.replace(CONTAINERS, "");
  if (isUnderARow && !after.includes("\n") && DELIMITERS.test(next)) return above;
  return rest.startsWith("|") ? start : null;
}

function isRow(line) {
  return line.length <= LONGEST_LINE && line.replace(CONTAINERS, "").startsWith("|");
}
