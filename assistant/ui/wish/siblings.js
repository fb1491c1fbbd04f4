/** The way between the versions of a message: `‹ 2 / 3 ›`. */

import { createElement as h } from "react";

import { WishButton } from "./wish.js";

/** `onChoose(message, key)` shows the branch through another version. */
export function Siblings({ message, siblings, onChoose }) {
  const at = siblings?.indexOf(message) ?? -1;
  if (at < 0 || siblings.length < 2) return null;
  const way = (name, label, other, sign) => h(WishButton, {
    kind: "choose", about: message, name, label, className: "icon-button", disabled: !other,
    holdsFocus: true, onPress: (key) => onChoose(other, key),
  }, sign);
  return h("span", { className: "siblings", role: "group", "data-testid": "siblings" },
    way("sibling-earlier", "wish.earlier", siblings[at - 1], "‹"),
    h("span", { "data-testid": "sibling-place" }, `${at + 1} / ${siblings.length}`),
    way("sibling-later", "wish.later", siblings[at + 1], "›"));
}
