/** Which parts of the page the user opened: kept by the tab, so that a reload folds none of them. */

const PREFIX = "open:";

/** Whether the part of this name was left open: what `keepOpen` was told of, or a `details` with `data-open-name`. */
export function wasOpen(name) {
  try {
    return sessionStorage.getItem(PREFIX + name) !== null;
  } catch {
    return false;
  }
}

/** Keep whether the part of this name is open; a `details` with `data-open-name` needs nobody to say so. */
export function keepOpen(name, isOpen) {
  try {
    if (isOpen) sessionStorage.setItem(PREFIX + name, "1");
    else sessionStorage.removeItem(PREFIX + name);
  } catch {
    // Without storage it is folded after a reload.
  }
}

function toggled({ target }) {
  const name = target.dataset?.openName;
  if (name) keepOpen(name, target.open);
}

// A toggle does not bubble.
if (typeof document !== "undefined") document.addEventListener("toggle", toggled, true);
