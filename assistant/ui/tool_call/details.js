/** What a call was given and what came of it, folded until it is opened, and then open after a reload too. */

import { createElement as h, useState } from "react";

import { Arguments, Value } from "./arguments.js";
import { wasOpen } from "../open_parts/open_parts.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("calls");

export function Details({ call, label }) {
  useLanguage();
  const { id, name, arguments: json, decision_reason: why, result } = call;
  const [open, setOpen] = useState(() => wasOpen(id));
  const toggled = ({ currentTarget }) => setOpen(currentTarget.open);
  return h("details", { className: "tc-details", "data-open-name": id, open, onToggle: toggled },
    h("summary", { className: "tc-summary" }, label),
    h("div", { className: "tc-inside" },
      h("p", { className: "tc-name" }, name),
      h(Arguments, { json }),
      why && labelled(words().because, why),
      result && labelled(words().result, result)));
}

function labelled(name, text) {
  return h("dl", { className: "tc-arguments" },
    h("dt", null, name),
    h("dd", null, h(Value, { name, text, isCode: false })));
}
