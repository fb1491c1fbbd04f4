/** The outbox at the end of the thread: sent messages on their way, those that wait, and those that did not go. */

import { createElement as h, memo, useSyncExternalStore } from "react";

import * as editing from "./editing.js";
import { ALERT } from "./icons.js";
import * as outbox from "./outbox.js";
import { WishButton } from "../wish/wish.js";
import { said, useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("composer");

/** What the tests and the look are told of a state; an accepted item looks like a sent message. */
const SHOWN_AS = {
  sending: "sending", accepted: "sending", queued: "queued", unsent: "unsent", refused: "refused",
};

/** `onRelease(key)` sends the oldest that waits, when the answer before it ended badly. */
export function Outbox({ sid, onRelease }) {
  useLanguage();
  const { items, canSend, paused } = useSyncExternalStore(outbox.listen, outbox.current, outbox.nothing);
  const { queued } = useSyncExternalStore(editing.listen, editing.current, editing.nothing);
  if (items.length === 0) return null;
  return h("div", { className: "cp-outbox" },
    paused && h("div", { className: "cp-item cp-paused", "data-testid": "queue-paused" },
      h("div", { className: "cp-fate" },
        h("p", { className: "cp-why" }, words().paused),
        h(WishButton, { kind: "release", about: sid, name: "queue-send", className: "cp-choice cp-choice-send",
                        label: "composer.sendWaiting", disabled: !canSend, onPress: onRelease }))),
    items.map((item) => h(Item, { key: item.key, itemKey: item.key, ...item, mayGo: canSend, isEdited: item.key === queued })));
}

const Item = memo(function Item({ itemKey, text, state, code, details, waited, mayGo, isEdited }) {
  useLanguage();
  const shownAs = SHOWN_AS[state] ?? (waited ? "queued" : code ? "refused" : "unsent");
  const goes = shownAs === "sending";
  const label = shownAs === "queued" ? words().queued : goes ? words().sending : words().notSent;
  return h("div", {
    className: "cp-item",
    "data-testid": "outbox-item",
    "data-key": itemKey,
    "data-state": shownAs,
    role: "group",
    "aria-label": label,
    "aria-busy": goes,
  },
    // The page's own classes for a user's message: it must look like the message that it becomes.
    h("div", { className: "cp-row message message-user" },
      h("div", { className: "cp-bubble st-user", dir: "auto" }, text)),
    !goes && h("div", { className: "cp-fate" },
      shownAs === "queued"
        ? h("p", { className: "cp-why cp-waits" }, isEdited ? words().edited : words().queued)
        : h("p", { className: "cp-why" }, ALERT,
            h("span", null, h("strong", null, words().notSent), " ", said({ code, ...details }) || words()[shownAs])),
      !isEdited && h("div", { className: "cp-choices" },
        // What the server will never take is not offered to be sent again.
        shownAs !== "queued" && code !== "invalid_input" &&
          choice("send", !mayGo || state === "withdrawing", () => outbox.resend(itemKey)),
        choice("edit", state === "withdrawing", () => (state === "queued" ? edit(itemKey, text) : outbox.withdraw(itemKey, "edit"))),
        choice("discard", state === "withdrawing", () => outbox.withdraw(itemKey, "discard")))));
});

function edit(key, text) {
  editing.waiting(key, text);
  document.querySelector("[data-testid=composer]")?.focus();
}

function choice(name, disabled, onClick) {
  const props = { type: "button", className: `cp-choice cp-choice-${name}`, "data-testid": `outbox-${name}` };
  // The second half of a double click may find another button in this place.
  return h("button", { ...props, disabled, onClick: (event) => event.detail <= 1 && onClick() }, words()[name]);
}
