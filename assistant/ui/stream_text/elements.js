/**
 * Parsed Markdown as React elements.
 *
 * Elements are made of known kinds only and never from markup, so nothing in a text can become HTML.
 * Links go to http, https and mail alone; an image is a link to it and is not loaded.
 */

import { createElement as h } from "react";

import { CodeBlock } from "./code_block.js";
import { Formula } from "./math.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("text");

const SAFE_TARGET = /^(https?:|mailto:)/i;
const TASK = /^\[([ xX])\] /;
const CHARACTERS_A_ROW = 80;

/** The soft mark at the end of a text that grows. */
export const CARET = h("span", {
  key: "caret", className: "st-caret", "data-chrome": "", "aria-hidden": true,
});

/**
 * One top-level block, null when it shows nothing; `inline` gives the elements of a run of inline text, and is told
 * whether it is the last of the block.
 *
 * With `growing`, the caret stands after its last text.
 */
export function blockElement(tokens, key, growing, inline) {
  const last = growing ? tokens.findLast(isFilled) : null;
  const children = nest(tokens).flatMap(toElements);
  if (children.length === 0) return null;
  return h("div", { key, className: "st-block", style: { "--st-rows": rowsOf(tokens) } }, ...children);

  function toElements({ token, children, task }) {
    switch (token.type) {
      case "inline": {
        const elements = inline(task ? token.content.slice(4) : token.content, token === last);
        return token === last ? [...elements, CARET] : elements;
      }
      case "fence":
      case "code_block":
        return h(CodeBlock, {
          language: token.info.trim().split(/\s/, 1)[0],
          code: token.content.replace(/\n$/, ""),
          growing: token === last,
        });
      case "math_block":
        return h(Formula, formulaProps(token, true), token === last && CARET);
      case "hr":
        return h("hr");
      case "paragraph_open":
        return token.hidden ? children.flatMap(toElements) : filled("p", { dir: "auto" }, children);
      case "heading_open":
        return filled(headingOf(token.meta.level), { className: `st-${token.tag}`, dir: "auto" }, children);
      case "list_item_open":
        return listItem(children);
      case "ordered_list_open":
        return filled("ol", { start: token.attrGet("start") ?? undefined }, children);
      case "table_open":
        return h(Table, null, filled("table", null, children));
      case "th_open":
      case "td_open":
        return filled(token.tag, { style: alignment(token) }, children);
      case "bullet_list_open":
      case "blockquote_open":
      case "thead_open":
      case "tbody_open":
      case "tr_open":
        return filled(token.tag, null, children);
      default:
        return [];
    }
  }

  function filled(tag, props, children) {
    return h(tag, props, ...children.flatMap(toElements));
  }

  function listItem(children) {
    const text = children[0]?.token.type === "paragraph_open" ? children[0].children[0] : undefined;
    const mark = TASK.exec(text?.token.content ?? "")?.[1];
    if (mark === undefined) return filled("li", { dir: "auto" }, children);
    text.task = true;
    const done = mark !== " ";
    return h("li", { className: "st-task", dir: "auto" }, h(TaskBox, { done }), ...children.flatMap(toElements));
  }
}

/** The elements of the tokens of one run of inline text. */
export function inlineElements(tokens) {
  return nest(tokens).map((node) => inlineElement(node, false));
}

function inlineElement({ token, children }, linked) {
  switch (token.type) {
    case "link_open": {
      const shown = children.map((child) => inlineElement(child, true));
      return link(token.attrGet("href"), token.attrGet("title"), shown, linked);
    }
    case "image": {
      const shown = [token.content || h(NamelessImage)];
      return link(token.attrGet("src"), token.attrGet("title"), shown, linked);
    }
    case "em_open":
    case "strong_open":
    case "s_open":
      return h(token.tag, null, ...children.map((child) => inlineElement(child, linked)));
    case "code_inline":
      return h("code", { className: "st-code" }, token.content);
    case "math_inline":
      return h(Formula, formulaProps(token, false));
    case "hardbreak":
      return h("br");
    case "softbreak":
      return "\n";
    default:
      return token.content;
  }
}

function formulaProps({ content, info, meta }, block) {
  return { tex: content, written: info, display: meta.display, open: meta.open, block };
}

function link(target, title, children, linked) {
  if (linked || !SAFE_TARGET.test(target)) return h("span", null, ...children);
  const rel = "noopener noreferrer nofollow";
  return h("a", { href: target, title: title || undefined, target: "_blank", rel }, ...children);
}

function Table({ children }) {
  useLanguage();
  return h("div", { className: "st-table", tabIndex: 0, role: "region", "aria-label": words().table }, children);
}

function TaskBox({ done }) {
  useLanguage();
  const label = done ? words().done : words().todo;
  return h("input", { type: "checkbox", checked: done, disabled: true, "aria-label": label, "data-chrome": "" });
}

function NamelessImage() {
  useLanguage();
  return words().image;
}

/** Tokens that open and close, as a tree. */
function nest(tokens) {
  const root = { children: [] };
  const open = [root];
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const node = { token, children: [] };
    open.at(-1).children.push(node);
    if (token.nesting === 1) open.push(node);
  }
  return root.children;
}

function isFilled({ type, content }) {
  return type === "fence" || type === "math_block" || (type === "inline" && content !== "");
}

/** The page has the first level of headings for itself. */
function headingOf(level) {
  return `h${Math.min(level + 1, 6)}`;
}

function alignment(token) {
  const side = token.attrGet("style")?.replace("text-align:", "");
  return side ? { textAlign: side } : undefined;
}

/** About how many rows of text it takes: its place is reserved by that while it is far off the screen. */
function rowsOf(tokens) {
  return tokens.reduce((rows, { type, content }) => {
    if (type === "fence" || type === "code_block") return rows + content.split("\n").length + 2;
    if (type === "math_block") return rows + content.trim().split("\n").length + 1;
    return type === "inline" ? rows + Math.ceil(content.length / CHARACTERS_A_ROW) : rows;
  }, 0);
}
