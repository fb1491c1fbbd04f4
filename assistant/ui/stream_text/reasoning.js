/** What the model thought aloud: folded until it is opened, and then open after a reload too. */

import { createElement as h, memo, useState } from "react";

import { Markdown } from "./markdown.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("text");

const PREFIX = "open:";

/** `name` tells this part from all others; `growing` while it is being thought. */
export const Reasoning = memo(function Reasoning({ name, text, growing }) {
  useLanguage();
  const [open, setOpen] = useState(() => wasOpen(name));
  const toggled = ({ currentTarget }) => {
    setOpen(currentTarget.open);
    remember(name, currentTarget.open);
  };
  const label = growing ? words().thinking : words().reasoning;
  const props = { className: "st-reasoning", "data-testid": "reasoning", "data-chrome": "" };
  return h("details", { ...props, open, onToggle: toggled },
    h("summary", { "data-chrome": "", className: growing ? "st-growing" : undefined }, label),
    // Unseen, it need not be parsed while it grows.
    open ? h(Markdown, { text, growing }) : h("div", { className: "st-plain" }, text));
});

function wasOpen(name) {
  return typeof sessionStorage !== "undefined" && sessionStorage.getItem(PREFIX + name) !== null;
}

function remember(name, open) {
  try {
    if (open) sessionStorage.setItem(PREFIX + name, "1");
    else sessionStorage.removeItem(PREFIX + name);
  } catch {
    // Without storage it is folded after a reload.
  }
}
