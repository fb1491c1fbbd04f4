/**
 * How a paragraph grows of which each line could be the head of a table and none is: reads the text from standard
 * input, and writes the most whole lines that were not shown, and how often an update parsed at most.
 */

import { createElement as h } from "react";
import MarkdownIt from "markdown-it";
import { renderToStaticMarkup } from "react-dom/server";

import { MarkdownDocument } from "./stream_text/markdown_document.js";

const parser = Object.getPrototypeOf(new MarkdownIt().block);
const { parse } = parser;
let parses = 0;
parser.parse = function (...given) {
  parses += 1;
  return parse.apply(this, given);
};

const text = await Bun.stdin.text();
const grown = new MarkdownDocument();
const most = { hidden: 0, parses: 0 };
for (let end = 1; end <= text.length; end += 1) {
  parses = 0;
  const shown = renderToStaticMarkup(h("main", null, grown.update(text.slice(0, end), true)));
  const whole = text.slice(0, end).split("\n").slice(0, -1);
  const hidden = whole.filter((line) => !shown.includes(line.replace("> ", "")));
  most.hidden = Math.max(most.hidden, hidden.length);
  most.parses = Math.max(most.parses, parses);
}
console.log(JSON.stringify(most));
