/** A call that may or may not have happened: a person looks, and says so, or has it run once more. */

import { createElement as h } from "react";

import { WishButton } from "../wish/wish.js";
import { Details } from "./details.js";
import { DOUBT } from "./icons.js";
import { told } from "./told.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("calls");

const KIND = "settle";

export function Doubt({ call, live, busy, onMarkDone, onRunAgain }) {
  useLanguage();
  const choice = (name, label, wish) => h(WishButton, {
    kind: KIND, about: call.id, name, label, className: "tc-choice", disabled: live || busy,
    onPress: (key) => wish(call.id, key),
  });
  return [
    h("div", { key: "head", className: "tc-head" },
      DOUBT,
      h("div", { className: "tc-what" },
        h("p", { className: "tc-title", role: "status" }, words().doubt),
        h("p", { className: "tc-small", dir: "auto" }, told(call)))),
    h("div", { key: "choices", className: "tc-choices" },
      choice("mark-done", "calls.markDone", onMarkDone),
      choice("run-again", "calls.runAgain", onRunAgain)),
    h(Details, { key: "details", call, label: words().details }),
  ];
}
