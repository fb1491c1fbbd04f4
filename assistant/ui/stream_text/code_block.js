/**
 * A block of code with its language, a copy button and colours.
 *
 * Code is coloured in segments that end at blank lines between top-level lines, so that growing code costs
 * its last segment alone and looks while it grows as it does in the end.
 */

import { createElement as h, memo } from "react";

import { CopyButton } from "./copy_button.js";
import { highlighted } from "./highlight.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("text");

const SEGMENT_CHARACTERS = 2000;
const LONGEST_SEGMENT_CHARACTERS = 6000;

export const CodeBlock = memo(function CodeBlock({ language, code, growing }) {
  useLanguage();
  const label = language ? words().codeIn({ language }) : words().code;
  return h("div", { className: "st-pre" },
    h("div", { className: "st-pre-head", "data-chrome": "" },
      h("span", null, language.slice(0, 24)),
      h(CopyButton, { text: () => code, className: "st-copy" })),
    h("pre", { tabIndex: 0, role: "region", "aria-label": label, dir: "ltr" },
      h("code", null,
        segments(code).map((text, index) => h(Segment, { key: index, text, language })),
        growing && h("span", { className: "st-caret", "data-chrome": "", "aria-hidden": true }))));
});

const Segment = memo(function Segment({ text, language }) {
  return h("span", null, highlighted(text, language));
});

function segments(code) {
  const found = [];
  let start = 0;
  while (code.length - start > SEGMENT_CHARACTERS) {
    const end = endOfSegment(code, start);
    if (end < 0) break;
    found.push(code.slice(start, end));
    start = end;
  }
  found.push(code.slice(start));
  return found;
}

/** Where the segment ends, by the text up to there alone; -1 while that is not certain. */
function endOfSegment(code, start) {
  const border = /\n\n(?=\S)/g;
  border.lastIndex = start + SEGMENT_CHARACTERS;
  const found = border.exec(code);
  if (found && found.index - start <= LONGEST_SEGMENT_CHARACTERS) return found.index + 2;
  if (code.length - start <= LONGEST_SEGMENT_CHARACTERS + 2) return -1;
  const line = code.indexOf("\n", start + LONGEST_SEGMENT_CHARACTERS);
  return line < 0 ? -1 : line + 1;
}
