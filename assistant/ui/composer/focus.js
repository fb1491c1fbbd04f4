/**
 * Where the keyboard is: in the composer again after a reload that found it there, and never nowhere. When what had
 * the focus goes away, the sheet or the list around it has it, and else the composer.
 */

const FOCUS = "focus";

/** What stands around a control, and what in it takes over the focus; null for itself. */
const HEIRS = [
  ["[data-testid=tool-call]", null],
  ["dialog, [role=dialog]", "button, input, select, textarea"],
  [".sidebar", "[data-testid=session-item], [data-testid=toggle-archive]"],
];

/** For so many pairs of frames a button that was disabled is looked at: it loses the focus with a later drawing. */
const MOST_LOOKS = 60;

let last = null;
let around = [];
/** `last` was disabled or removed since it was given the focus, and has not got it back. */
let isLost = false;
let isLooking = false;

/** Keep the focus over a reload, for `box`, and within the page; returns how to end that. */
export function keepFocus(box) {
  restore(box.current);
  const noted = ({ target }) => {
    last = target;
    isLost = false;
    around = HEIRS.map(([place]) => target.closest?.(place));
  };
  const leaving = () => note(box.current);
  const changed = new MutationObserver(() => inherit(box));
  changed.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", noted);
  window.addEventListener("pagehide", leaving);
  return () => {
    changed.disconnect();
    document.removeEventListener("focusin", noted);
    window.removeEventListener("pagehide", leaving);
  };
}

/** Take the focus from what had it and is not there any more, or cannot be pressed. */
function inherit(box) {
  if (last === null) return;
  const isAway = !last.isConnected || last.disabled;
  // Enabled again while it has the focus, it has lost nothing.
  isLost = isAway || (isLost && document.activeElement !== last);
  if (!isLost || isLooking) return;
  isLooking = true;
  look(box, last, last.dataset.testid, MOST_LOOKS);
}

function look(box, lost, name, looks) {
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const at = document.activeElement;
    if (last === lost && at === lost && lost.disabled && looks > 0) return look(box, lost, name, looks - 1);
    isLooking = false;
    if (last !== lost) return inherit(box);
    if (at !== document.body || !hasKeyboard()) return undefined;
    // By now it may be the same button again, or another one in its place.
    const itself = lost.dataset.testid === name ? lost : null;
    // Where all of them are disabled for now, or behind a sheet, the next change is looked at again.
    return [itself, ...heirs(), box.current].some((one) => {
      one?.focus({ preventScroll: true });
      return document.activeElement === one;
    });
  }));
}

function heirs() {
  return HEIRS.flatMap(([, heir], at) => (around[at] ? (heir ? [...around[at].querySelectorAll(heir)] : around[at]) : []));
}

/** A new page is there to be written on; a reloaded one as it was left. */
function restore(element) {
  // What is not painted yet takes no focus.
  if (document.documentElement.hasAttribute("data-painting")) {
    requestAnimationFrame(() => restore(element));
    return;
  }
  const [nothingYet, kept] = [document.activeElement === document.body, read()];
  if (!nothingYet || !hasKeyboard()) return;
  if (kept === null) {
    element.focus({ preventScroll: true });
  } else if (kept.place) {
    element.focus({ preventScroll: true });
    element.setSelectionRange(...kept.place);
  }
}

function note(element) {
  const place = document.activeElement === element
    ? [element.selectionStart, element.selectionEnd, element.selectionDirection]
    : null;
  try {
    sessionStorage.setItem(FOCUS, JSON.stringify({ place }));
  } catch {
    // Without storage a reload is a new page.
  }
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(FOCUS));
  } catch {
    return null;
  }
}

/** On a phone the focus would bring up a keyboard that nobody asked for. */
function hasKeyboard() {
  return matchMedia("(pointer: fine)").matches;
}
