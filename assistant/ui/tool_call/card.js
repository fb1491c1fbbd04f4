/** A call that waits for a person: what will happen, with what, until when; Approve and Deny. */

import { createElement as h, useRef, useState } from "react";

import { OpenMoment } from "../times/times.js";
import { WishButton } from "../wish/wish.js";
import * as wishes from "../wish/wishes.js";
import { Arguments } from "./arguments.js";
import { iconOf } from "./icons.js";
import { keepReason, keptReason } from "./kept.js";
import { told } from "./told.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("calls");

/** One wish about a call at a time, whichever it is: while one is on its way both buttons wait. */
const KIND = "decide";
const MOST_REASON = 500;

export function Card({ call, onDecide }) {
  useLanguage();
  const [reason, setReason] = useState(() => keptReason(call.id));
  const closed = useRef("");
  const field = useRef(null);
  const decide = (decision, why) => (key) => onDecide(call.id, decision, call.hash, why, key);
  const deny = decide("deny", reason ?? "");
  const expiry = { at: call.expires_at, isToCome: true, name: "tool-expires" };
  const change = (text) => {
    setReason(text);
    keepReason(call.id, text);
  };
  const open = () => {
    // What was typed is there again when the field is.
    if (reason !== null) closed.current = reason;
    change(reason === null ? closed.current : null);
    if (reason === null) requestAnimationFrame(() => field.current?.focus());
  };
  const typed = (event) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!event.repeat) wishes.send(KIND, call.id, "calls.deny", deny);
  };

  return [
    h("div", { key: "head", className: "tc-head" },
      iconOf(call.name),
      h("div", { className: "tc-what" },
        h("p", { className: "tc-title", dir: "auto" }, told(call)),
        h("p", { className: "tc-small", role: "status" },
          call.expires_at ? words().waitsUntil({ time: h(OpenMoment, { key: "time", ...expiry }) }) : words().waits))),
    h(Arguments, { key: "arguments", json: call.arguments }),
    h("div", { key: "choices", className: "tc-choices" },
      h(WishButton, { kind: KIND, about: call.id, name: "approve", label: "calls.approve",
                      className: "tc-choice tc-approve", onPress: decide("approve", "") }),
      h(WishButton, { kind: KIND, about: call.id, name: "deny", label: "calls.deny",
                      className: "tc-choice", onPress: deny }),
      h("button", { type: "button", className: "tc-link", "data-testid": "deny-why", "aria-expanded": reason !== null,
                    onClick: open }, words().why)),
    reason !== null && h("input", {
      key: "reason",
      ref: field,
      className: "tc-reason",
      "data-testid": "deny-reason",
      type: "text",
      value: reason,
      maxLength: MOST_REASON,
      placeholder: words().reason,
      "aria-label": words().reason,
      autoComplete: "off",
      onChange: ({ target }) => change(target.value),
      onKeyDown: typed,
    }),
  ];
}
