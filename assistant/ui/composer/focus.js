/**
 * Where the keyboard writes: in the composer again after a reload that found it there, and when the button that
 * had the focus goes away.
 */

const FOCUS = "focus";

let last = null;

/** Keep the focus of `box` over a reload; returns how to end that. */
export function keepFocus(box) {
  restore(box.current);
  const noted = (event) => (last = event.target);
  const leaving = () => note(box.current);
  document.addEventListener("focusin", noted);
  window.addEventListener("pagehide", leaving);
  return () => {
    document.removeEventListener("focusin", noted);
    window.removeEventListener("pagehide", leaving);
  };
}

/** Take the focus from what had it and is not there any more. */
export function inherit(box) {
  const look = () => {
    if (document.activeElement !== document.body || !last || (last.isConnected && !last.disabled)) return;
    last = null;
    if (hasKeyboard()) box.current?.focus({ preventScroll: true });
  };
  // A button that was only disabled loses the focus with the next drawing.
  requestAnimationFrame(() => requestAnimationFrame(look));
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
