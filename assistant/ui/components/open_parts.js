/** Which folded parts of the page the user opened: kept by the tab, so that a reload folds none of them. */

const PREFIX = "open:";

/** Whether the part of this name, a `details` with `data-open-name`, was left open. */
export function wasOpen(name) {
  try {
    return sessionStorage.getItem(PREFIX + name) !== null;
  } catch {
    return false;
  }
}

function toggled({ target }) {
  const name = target.dataset?.openName;
  if (!name) return;
  try {
    if (target.open) sessionStorage.setItem(PREFIX + name, "1");
    else sessionStorage.removeItem(PREFIX + name);
  } catch {
    // Without storage it is folded after a reload.
  }
}

// A toggle does not bubble.
if (typeof document !== "undefined") document.addEventListener("toggle", toggled, true);
