/** Markdown that may grow, as a component. */

import { createElement as h, memo, useRef } from "react";

import { CARET } from "./elements.js";
import { MarkdownDocument } from "./markdown_document.js";

/** From here on the blocks off the screen are not laid out. */
const LONG_CHARACTERS = 30000;

/** The rendered `text`; a caret stands at its end while it is `growing`. */
export const Markdown = memo(function Markdown({ text, growing }) {
  const kept = useRef(null);
  kept.current ??= new MarkdownDocument();
  const blocks = kept.current.update(text, growing);
  const className = text.length > LONG_CHARACTERS ? "st-text st-long" : "st-text";
  return h("div", { className }, blocks.length > 0 ? blocks : growing && CARET);
});
