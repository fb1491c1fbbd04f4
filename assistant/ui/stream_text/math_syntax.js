/**
 * Where formulas stand in Markdown: `$x$`, `\(x\)` in a line, `$$x$$`, `\[x\]` as lines of their own.
 *
 * A formula is taken as it is written: nothing in it is Markdown. It holds no empty line and no backtick, so
 * that code stays code, and `$` with prose behind it is money. Tokens are `math_block` and `math_inline`, with
 * the formula as `content`, what is written as `info`, and `meta` of `{display, open}`.
 *
 * With `growing` in the environment, a formula that may still be closed is one already, and `open`: what is in
 * it is not taken for emphasis or a list until the rest comes.
 */

const CLOSERS = { "$$": "$$", "\\[": "\\]", "\\(": "\\)" };
const AFTER_A_BLOCK = /^[ \t]*([.,;:!?]?)[ \t]*$/;
const LONGEST = 4000;
const MOST_LINES = 200;

const COMMAND = /\\(?:[A-Za-z]+|.)/g;
const GROUP = /\{[^{}]*\}/g;
const HALF_A_GROUP = /\{[^{}]*$/;
const FUNCTION = /\b(?:sin|cos|tan|log|exp|max|min|lim|mod|gcd|det|dim|arg|sup|inf)\b/g;
/** Two words in a row: no formula has that outside of its commands. */
const PROSE = /[A-Za-z]{3,}[,.;:!?]?\s+[A-Za-z]{2,}|[A-Za-z]{2,}[,.;:!?]?\s+[A-Za-z]{3,}|^[ \t]+[A-Za-z]+[ \t]+$|[\u3001\u3002\uff01\uff0c\uff1b\uff1f]/;
const MONEY = /^[\d.,]+(?:.*\s[A-Za-z]{2,}|.*[A-Za-z]{2,}\s|\s*[\u2e80-\u9fff\uac00-\ud7af])/s;
const MEANT_AS_MATH = /[\\^_{=]/;
/** A shell variable is a word. */
const BEGINS_WITH_A_WORD = /^[A-Za-z]{2}/;

/** Teaches the parser formulas. */
export function mathSyntax(markdown) {
  const alt = ["paragraph", "reference", "blockquote", "list"];
  markdown.block.ruler.before("fence", "math_block", mathBlock, { alt });
  markdown.inline.ruler.before("escape", "math_inline", mathInline);
}

function mathBlock(state, first, end, silent) {
  if (state.sCount[first] - state.blkIndent >= 4) return false;
  const start = state.bMarks[first] + state.tShift[first];
  const opener = state.src.slice(start, start + 2);
  if (opener !== "$$" && opener !== "\\[") return false;

  const found = closingLine(state, first, end, CLOSERS[opener]);
  if (!found) return false;
  if (silent) return true;
  const written = state.getLines(first, found.line + 1, state.blkIndent, false).trim();
  const content = written.slice(2, found.open ? undefined : written.lastIndexOf(CLOSERS[opener]));
  const token = state.push("math_block", "", 0);
  token.map = [first, found.line + 1];
  token.info = written;
  token.content = content + (found.mark ?? "");
  token.meta = { display: true, open: found.open };
  state.line = found.line + 1;
  return true;
}

/** The line that ends the formula, and the mark behind it; the last one while it may still come. */
function closingLine(state, first, end, closer) {
  for (let line = first; line < end; line += 1) {
    if (line - first > MOST_LINES) return null;
    const from = state.bMarks[line] + state.tShift[line] + (line === first ? 2 : 0);
    const to = state.eMarks[line];
    const isBegun = state.env.growing && to >= state.src.length;
    if (line > first && !(isBegun && from >= to) && (from >= to || state.sCount[line] < state.blkIndent)) return null;
    const text = state.src.slice(from, to);
    if (text.includes("`")) return null;
    const at = nextUnescaped(text, closer, 0);
    if (at >= 0) {
      const mark = AFTER_A_BLOCK.exec(text.slice(at + 2))?.[1];
      const isEmpty = line === first && text.slice(0, at).trim() === "";
      return mark === undefined || isEmpty || isWords(line) ? null : { line, mark, open: false };
    }
  }
  const isLast = /^\n?$/.test(state.src.slice(state.eMarks[end - 1], state.eMarks[end - 1] + 2));
  return state.env.growing && isLast && !isWords(end - 1) ? { line: end - 1, open: true } : null;

  function isWords(last) {
    return closer === "$$" && isProse(state.getLines(first, last + 1, state.blkIndent, false));
  }
}

function mathInline(state, silent) {
  const { src, pos, posMax } = state;
  const two = src.slice(pos, pos + 2);
  const opener = two in CLOSERS ? two : two[0] === "$" ? "$" : "";
  if (!opener) return false;

  const start = pos + opener.length;
  const closer = CLOSERS[opener] ?? "$";
  const close = closerAfter(state, closer, start);
  const isClosed = close >= 0 && close + closer.length <= posMax;
  const content = src.slice(start, Math.min(isClosed ? close : posMax, start + LONGEST + 1));
  if (content.length > LONGEST || content.includes("`")) return false;
  if (opener === "$" && !isMeant(src, pos, content)) return false;
  if (isClosed ? !closes(src, opener, content, close + closer.length) : !mayClose(state, opener, content)) return false;

  const to = isClosed ? close + closer.length : posMax;
  if (!silent) {
    const token = state.push("math_inline", "", 0);
    token.content = content;
    token.info = src.slice(pos, to);
    token.meta = { display: opener === "$$" || opener === "\\[", open: !isClosed };
  }
  state.pos = to;
  return true;
}

/** Whether a dollar may open a formula: money, shell variables and templates do not. */
function isMeant(src, pos, content) {
  return /^\S/.test(content) && !/[\w$]/.test(src[pos - 1] ?? "") && !isProse(content);
}

function closes(src, opener, content, after) {
  if (content.trim() === "") return false;
  if (opener === "$$") return !isProse(content);
  // Brackets that are only escaped: `\[1\]`.
  if (opener === "\\[") return MEANT_AS_MATH.test(content);
  return opener !== "$" || (/\S$/.test(content) && !/[A-Za-z0-9$]/.test(src[after] ?? ""));
}

function mayClose({ env, src, posMax }, opener, content) {
  if (!env.growing || posMax !== src.length) return false;
  if (opener === "\\(") return true;
  if (isProse(content)) return false;
  return opener === "$$" ? /^\S/.test(content) : MEANT_AS_MATH.test(content) && !BEGINS_WITH_A_WORD.test(content);
}

/** Whether it is prose, or an amount of money in it. What is prose stays prose whatever follows. */
function isProse(content) {
  let bare = content.replace(COMMAND, (command) => (command.length > 2 ? "" : " "));
  for (let before = ""; before !== bare;) {
    before = bare;
    bare = bare.replace(GROUP, "").replace(HALF_A_GROUP, "");
  }
  bare = bare.replace(FUNCTION, "");
  return PROSE.test(bare) || MONEY.test(bare);
}

/** As `nextUnescaped`, and found once for all openers before it. */
function closerAfter(state, closer, from) {
  state.closers ??= {};
  const known = state.closers[closer];
  if (known !== undefined && (known < 0 || known >= from)) return known;
  return (state.closers[closer] = nextUnescaped(state.src, closer, from));
}

/** Where `closer` next stands in `text` with an even number of backslashes before it; -1 if nowhere. */
function nextUnescaped(text, closer, from) {
  for (let at = text.indexOf(closer, from); at >= 0; at = text.indexOf(closer, at + 1)) {
    let start = at;
    while (start > from && text[start - 1] === "\\") start -= 1;
    if ((at - start) % 2 === 0) return at;
  }
  return -1;
}
