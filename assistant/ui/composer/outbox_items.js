/** The outbox at the end of the thread: sent messages on their way, and those that did not go. */

import { createElement as h, memo, useSyncExternalStore } from "react";

import { ALERT } from "./icons.js";
import * as outbox from "./outbox.js";
import { words } from "./words.js";

/** What the tests and the look are told of a state; an accepted item looks like a sent message. */
const SHOWN_AS = { sending: "sending", accepted: "sending", unsent: "unsent", refused: "refused" };

export function Outbox() {
  const { items, canSend, sending } = useSyncExternalStore(outbox.listen, outbox.current, outbox.nothing);
  if (items.length === 0) return null;
  const mayGo = canSend && !sending;
  return h("div", { className: "cp-outbox" },
    items.map(({ key, text, state, words: why }) => h(Item, { key, itemKey: key, text, state, why, mayGo })));
}

const Item = memo(function Item({ itemKey, text, state, why, mayGo }) {
  const shownAs = SHOWN_AS[state] ?? (why ? "refused" : "unsent");
  const goes = shownAs === "sending";
  return h("div", {
    className: "cp-item",
    "data-testid": "outbox-item",
    "data-key": itemKey,
    "data-state": shownAs,
    role: "group",
    "aria-label": goes ? words().sending : words().notSent,
    "aria-busy": goes,
  },
    // The page's own classes for a user's message: it must look like the message that it becomes.
    h("div", { className: "cp-row message message-user" },
      h("div", { className: "cp-bubble st-user", dir: "auto" }, text)),
    !goes && h("div", { className: "cp-fate" },
      h("p", { className: "cp-why" }, ALERT,
        h("span", null, h("strong", null, words().notSent), " ", why || words()[shownAs])),
      h("div", { className: "cp-choices" },
        choice("send", !mayGo || state === "withdrawing", () => outbox.resend(itemKey)),
        choice("edit", state === "withdrawing", () => outbox.withdraw(itemKey, "edit")),
        choice("discard", state === "withdrawing", () => outbox.withdraw(itemKey, "discard")))));
});

function choice(name, disabled, onClick) {
  const props = { type: "button", className: `cp-choice cp-choice-${name}`, "data-testid": `outbox-${name}` };
  return h("button", { ...props, disabled, onClick }, words()[name]);
}
