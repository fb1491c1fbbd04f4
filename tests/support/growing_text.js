/**
 * How texts look while they grow, without a browser: reads `{texts, cuts}` from standard input, and writes what is
 * wrong with them, by kind.
 *
 * `stale`: text that grew to a prefix looks unlike that prefix at once. `changed`: a block with another block after
 * it became something else. `vanished`: an element of the last block was there and then was not.
 */

import { createElement as h } from "react";
import { renderToStaticMarkup } from "react-dom/server";

import { MarkdownDocument } from "./stream_text/markdown_document.js";

const TAG = /<(?!\/)(\w+)/g;
const CARET = /<span class="st-caret"[^>]*><\/span>/;

const { texts, cuts } = JSON.parse(await Bun.stdin.text());
const found = { prefixes: 0, stale: [], changed: [], vanished: [] };
for (const [index, text] of texts.entries()) {
  const prefixes = prefixesOf(text);
  found.prefixes += prefixes.length;
  for (const ends of [prefixes.map((prefix) => prefix.length), ...cuts[index]]) grow(text, ends);
  watch(text, prefixes);
}
console.log(JSON.stringify(found));

/** Grow the text to each of `ends`, which are lengths of prefixes, and then to what it is when it is whole. */
function grow(text, ends) {
  const grown = new MarkdownDocument();
  for (const end of ends) {
    const prefix = text.slice(0, end);
    compare(prefix, blocksOf(grown, prefix, true), true);
  }
  compare(text, blocksOf(grown, text, false), false);
}

function compare(text, blocks, growing) {
  const wanted = blocksOf(new MarkdownDocument(), text, growing);
  if (JSON.stringify(blocks) !== JSON.stringify(wanted)) found.stale.push([text, blocks, wanted]);
}

function watch(text, prefixes) {
  const shown = prefixes.map((prefix) => blocksOf(new MarkdownDocument(), prefix, true));
  shown.forEach((blocks, at) => {
    const last = blocks.at(-1);
    for (const [key, markup] of (shown[at - 1] ?? []).slice(0, -1)) {
      const now = blocks.find((block) => block[0] === key)?.[1];
      if (now !== markup) found.changed.push([text, at, markup, now ?? ""]);
    }
    const before = last && (shown[at - 1] ?? []).find(([key]) => key === last[0]);
    if (before && !tags(last[1]).startsWith(tags(before[1]))) found.vanished.push([text, prefixes[at], before[1], last[1]]);
  });
}

/** The elements of a block in their order; colours of code and cells that are still empty are none. */
function tags(markup) {
  return markup.replaceAll(/<span class="hljs-|<td[^>]*><\/td>/g, "").match(TAG).join(" ");
}

/** Key and markup of each block, without the caret. */
function blocksOf(grown, text, growing) {
  return [grown.update(text, growing)].flat().filter((block) => block?.key).map((block) =>
    [block.key, renderToStaticMarkup(h("main", null, block)).slice(6, -7).replace(CARET, "")]);
}

/** By code points, as a server cuts. */
function prefixesOf(text) {
  let prefix = "";
  return [...text].map((character) => (prefix += character));
}
