/**
 * Markdown that grows at its end, as React elements of its top-level blocks.
 *
 * A block is settled once another block has surely begun after it; settled blocks keep their elements, so
 * React skips them, and only the rest is parsed again. What comes out is what parsing the whole text at
 * once gives: blocks are cut only where the parser itself has closed them, and a link definition
 * that comes late renews the blocks that looked for it.
 */

import MarkdownIt from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";

import { blockElement, inlineElements } from "./elements.js";
import { decided, lengthShown } from "./held_back.js";
import { mathSyntax } from "./math_syntax.js";
import { halfReceived } from "./half_received.js";

// Emphasis beside Chinese punctuation, which the standard's rules for word borders miss.
const markdown = new MarkdownIt({ html: false, linkify: true }).use(cjkFriendly).use(mathSyntax).use(halfReceived);
// Without a scheme a file name is a link: `main.py` is a host in Paraguay.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.block.ruler.before("reference", "footnote", footnoteLine);

const EMPTY_LINE_AT_THE_END = /\n[ \t>]*\n$/;

export class MarkdownDocument {
  constructor() {
    this.#forget();
  }

  /**
   * The elements for `text`; `growing` says that more may come: a caret stands at the end, and what is in doubt is
   * held back. They follow from these two alone, whatever was shown before.
   *
   * Cheap when `text` continues the text of the last call, right for any text.
   */
  update(text, growing) {
    const source = text.replace(/\r\n?/g, "\n");
    if (!source.startsWith(this.source)) this.#forget();
    this.source = source;

    let rest = source.slice(this.settledTo);
    let [tokens, references] = this.#parse(rest, growing);
    for (let length, after = ""; growing && (length = lengthShown(rest, tokens, after)) < rest.length;) {
      after = rest.slice(length) + after;
      rest = rest.slice(0, length);
      [tokens, references] = this.#parse(rest, growing);
    }
    const groups = topLevelGroups(tokens);
    const changed = changedLabels(this.references, references);
    this.references = references;
    if (changed.size > 0) this.#renew(changed);

    const starts = lineStarts(rest);
    levelHeadings(groups, this.lastLevel);
    const settled = groups.slice(0, countSettled(groups, starts, rest));
    const open = groups.slice(settled.length);
    for (const group of settled) this.#settle(group, this.settledTo + starts[group.line]);
    this.lastLevel = settled.at(-1)?.level ?? this.lastLevel;
    const elements = this.settled.map((block) => block.element);
    for (const group of open) {
      const key = this.settledTo + starts[group.line];
      elements.push(this.#element(group, key, growing && group === open.at(-1), rest));
    }
    if (settled.length > 0) this.settledTo += starts[open[0].line];
    return elements;
  }

  #forget() {
    this.source = "";
    this.settledTo = 0;
    this.settled = [];
    this.lastLevel = 0;
    this.settledReferences = {};
    this.references = {};
    this.inlines = new Map();
  }

  /** The block tokens of `source`, with the link definitions known after it. */
  #parse(source, growing) {
    const references = Object.assign(Object.create(null), this.settledReferences);
    const tokens = [];
    markdown.block.parse(source, markdown, { references, growing }, tokens);
    return [tokens, references];
  }

  #settle(group, key) {
    for (const token of group.tokens) {
      const label = token.type === "reference_definition" ? token.meta.label : null;
      if (label !== null) this.settledReferences[label] ??= this.references[label];
    }
    this.settled.push({ group, key, element: this.#element(group, key, false) });
  }

  #renew(changed) {
    for (const [content, inline] of this.inlines) {
      if (inline.labels.some((label) => changed.has(label))) this.inlines.delete(content);
    }
    for (const block of this.settled) {
      if (block.group.tokens.some((token) => token.type === "inline" && !this.inlines.has(token.content))) {
        block.element = this.#element(block.group, block.key, false);
      }
    }
  }

  /** `rest` is the source whose last block it is, while that is `growing`. */
  #element(group, key, growing, rest) {
    return blockElement(group.tokens, String(key), growing, (content, isLast) => {
      if (!growing || !isLast || EMPTY_LINE_AT_THE_END.test(rest)) return this.#inline(content);
      return this.#parseInline(rest.endsWith("\n") ? content : decided(content), true).elements;
    });
  }

  /** The elements of one run of inline text, kept by its content. */
  #inline(content) {
    let inline = this.inlines.get(content);
    if (inline === undefined) {
      inline = this.#parseInline(content, false);
      this.inlines.set(content, inline);
    }
    return inline.elements;
  }

  #parseInline(content, growing) {
    const labels = [];
    const asked = new Proxy(this.references, {
      get(references, label) {
        labels.push(label);
        return references[label];
      },
    });
    const [{ children }] = markdown.parseInline(content, { references: asked, growing });
    return { elements: inlineElements(children), labels };
  }
}

/** The tokens of each top-level block, with the line on which it begins. */
function topLevelGroups(tokens) {
  const groups = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0) {
      groups.push({ tokens: [], type: token.type, line: token.map[0], end: token.map[1] });
    }
    groups.at(-1).tokens.push(token);
  }
  return groups;
}

/**
 * Tells each heading how deep it is below the ones before it: no level is left out, whatever is written, so who hears
 * the page knows that nothing is missing. `level` is that of the last heading before these.
 */
function levelHeadings(groups, level) {
  for (const group of groups) {
    for (const token of group.tokens) {
      if (token.type !== "heading_open") continue;
      level = Math.min(Number(token.tag[1]), level + 1);
      token.meta = { level };
    }
    group.level = level;
  }
}

/**
 * How many of the first blocks nothing that comes can change.
 *
 * The last line may still become anything, so a block counts as begun only when the lines that make it
 * one are whole. A link definition may still take the line after it as its title.
 */
function countSettled(groups, starts, source) {
  const whole = source.endsWith("\n") ? starts.length : starts.length - 1;
  for (let last = groups.length - 1; last > 0; last--) {
    const { type, line, end, tokens } = groups[last];
    const before = groups[last - 1];
    const isMath = type === "math_block";
    if (isMath && tokens[0].meta.open) continue;
    const deciding = isMath ? end - line : type === "table_open" ? 2 : 1;
    const joined = before.type === "reference_definition" && before.end === line;
    if (line + deciding <= whole && !joined) return last;
  }
  return 0;
}

function changedLabels(before, after) {
  const changed = new Set();
  for (const label of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[label], after[label]];
    if (old?.href !== now?.href || old?.title !== now?.title) changed.add(label);
  }
  return changed;
}

function lineStarts(source) {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0 && at + 1 < source.length; at = source.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

/** `[^1]: Word` would be read as a link definition and vanish; footnotes are shown as they are written. */
function footnoteLine(state, line, _end, silent) {
  const content = state.getLines(line, line + 1, state.blkIndent, false).trim();
  if (state.sCount[line] - state.blkIndent >= 4 || !/^\[\^[^\]\s]+\]:/.test(content)) return false;
  if (silent) return true;
  state.line = line + 1;
  state.push("paragraph_open", "p", 1).map = [line, state.line];
  const inline = state.push("inline", "", 0);
  Object.assign(inline, { content, map: [line, state.line], children: [] });
  state.push("paragraph_close", "p", -1);
  return true;
}
