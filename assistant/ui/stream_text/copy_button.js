/** A small button that copies a text, also where the page is not served securely. */

import { createElement as h, useEffect, useRef, useState } from "react";

import { useLanguage, wordAt, wordsOf } from "../words/words.js";

const words = wordsOf("text");

const COPIED_MS = 1600;
const PLAIN = "text/plain";

/** `text()` gives what is copied, at the press: a string, or a promise of one, or of null; `says` is the place of its words. */
export function CopyButton({ text, className, name, says = "text.copy" }) {
  useLanguage();
  const [copied, setCopied] = useState(false);
  const timer = useRef();
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    if (!(await copyText(text()))) return;
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), COPIED_MS);
  };
  const label = copied ? words().copied : wordAt(says);
  const props = { type: "button", className, "data-testid": name, "aria-label": label, title: label };
  return h("button", { ...props, onClick: copy },
    h("svg", { viewBox: "0 0 24 24", "aria-hidden": true },
      copied
        ? h("path", { d: "M5 12.5l4.5 4.5L19 7.5" })
        : [h("rect", { key: "front", x: 9, y: 9, width: 11, height: 11, rx: 2 }),
           h("path", { key: "back", d: "M5 15V6a2 2 0 0 1 2-2h8" })]));
}

/** Copies, also where the page is not served securely and the clipboard API is missing. */
async function copyText(given) {
  try {
    if (typeof given === "string") await navigator.clipboard.writeText(given);
    // Asked for at once: when the text is here, the press may be too long ago to allow it.
    else await navigator.clipboard.write([itemOf(given)]);
    return true;
  } catch {
    const text = await given;
    return text !== null && copyBySelecting(text);
  }
}

function itemOf(promised) {
  const blob = promised.then((text) => {
    if (text === null) throw new Error("there is nothing to copy");
    return new Blob([text], { type: PLAIN });
  });
  blob.catch(() => {}); // also when the browser refuses before it looks at it
  return new ClipboardItem({ [PLAIN]: blob });
}

function copyBySelecting(text) {
  const held = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  held?.focus({ preventScroll: true });
  return done;
}
