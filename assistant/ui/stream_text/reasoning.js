/** What the model thought aloud: folded until it is opened, and then open after a reload too. */

import { createElement as h, memo, useState } from "react";

import { Markdown } from "./markdown.js";
import { wasOpen } from "../open_parts/open_parts.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("text");

/** `name` tells this part from all others; `growing` while it is being thought. */
export const Reasoning = memo(function Reasoning({ name, text, growing }) {
  useLanguage();
  const [open, setOpen] = useState(() => wasOpen(name));
  const toggled = ({ currentTarget }) => setOpen(currentTarget.open);
  const label = growing ? words().thinking : words().reasoning;
  const props = { className: "st-reasoning", "data-testid": "reasoning", "data-chrome": "", "data-open-name": name };
  return h("details", { ...props, open, onToggle: toggled },
    h("summary", { "data-chrome": "", className: growing ? "st-growing" : undefined }, label),
    // Unseen, it need not be parsed while it grows.
    open ? h(Markdown, { text, growing }) : h("div", { className: "st-plain" }, text));
});
