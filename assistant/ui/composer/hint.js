/** What the composer itself has to say for a moment, in the one line under it. */

import { signal } from "./signal.js";

const SHOWN_MS = 8000;

let hint = "";
let timer;
const { listen, changed } = signal();

export { listen };

/** The words now; "" for none. */
export function current() {
  return hint;
}

/** Show these words for eight seconds, or until others come; "" takes them away. */
export function say(words) {
  clearTimeout(timer);
  if (words) timer = setTimeout(say, SHOWN_MS, "");
  if (words === hint) return;
  hint = words;
  changed();
}
