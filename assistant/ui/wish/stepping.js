/** A step from one version of a message to another, as the rows show it: where the other has to stand, and its arrow. */

import { isPending } from "./wishes.js";

const ARROWS = ["sibling-earlier", "sibling-later"];

/**
 * Just before the rows change: `{id, offset, isStep, arrow}` when this page's own wish brings another version. It is to
 * stand where its sibling stands now; `arrow` is the one that has the focus. Null for any other change.
 */
export function stepOf(before, rows) {
  const left = before.find(({ id, siblings }) => siblings && isPending("choose", id));
  const chosen = left && rows.find(({ id, siblings }) => id !== left.id && siblings?.includes(left.id));
  const message = chosen && find(left.id);
  if (!message) return null;
  const at = document.activeElement;
  const arrow = message.contains(at) && ARROWS.includes(at.dataset.testid) ? at.dataset.testid : null;
  return { id: chosen.id, offset: message.getBoundingClientRect().top, isStep: true, arrow };
}

/** The keyboard goes on where it was: to the same arrow, or to the other one where that leads no further. */
export function focusArrow({ id, arrow }) {
  for (const name of [arrow, ...ARROWS]) {
    const button = find(id)?.querySelector(`[data-testid=${name}]`);
    if (!button || button.disabled) continue;
    button.focus({ preventScroll: true });
    return;
  }
}

function find(id) {
  return document.querySelector(`[data-message-id="${CSS.escape(id)}"]`);
}
