/**
 * The box in which a message is written.
 *
 * The browser owns the text while the user types, so that input methods and undo work; a draft that comes
 * from elsewhere is put in only when it differs.
 */

import { createElement as h, memo, useLayoutEffect } from "react";

import * as drafts from "./drafts.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("composer");

const IME_KEY_CODE = 229;
const GROWS_BY_ITSELF = typeof CSS !== "undefined" && CSS.supports("field-sizing", "content");

/** `box` is a ref to the element; `onEnter` is called for an Enter that sends, `onUp` for an up-arrow in an empty box; `readOnly` while the text is saved. */
export const TextBox = memo(function TextBox({ box, onEnter, onUp, readOnly }) {
  useLanguage();
  useLayoutEffect(() => {
    const element = box.current;
    let early = element.value;
    const show = (news) => {
      takeEarly();
      const text = drafts.text();
      if (element.value === text) return;
      element.value = text;
      fit(element);
      if (news?.caret === undefined) return;
      element.focus();
      element.setSelectionRange(news.caret, news.caret);
    };
    return drafts.listen(show);

    /** What was typed before the page was alive. */
    function takeEarly() {
      if (!early) return;
      const [typed, draft] = [early, drafts.text()];
      early = "";
      if (typed !== draft) drafts.typed(draft ? `${draft}\n\n${typed}` : typed);
    }
  }, [box]);

  return h("textarea", {
    ref: box,
    className: "cp-text",
    "data-testid": "composer",
    rows: 1,
    dir: "auto",
    readOnly,
    // A browser would bring back what was sent (Case B159).
    autoComplete: "off",
    enterKeyHint: "send",
    placeholder: words().placeholder,
    "aria-label": words().message,
    "aria-keyshortcuts": "/",
    onInput: (event) => {
      drafts.typed(event.target.value);
      fit(event.target);
    },
    onCompositionStart: () => drafts.compose(true),
    onCompositionEnd: () => drafts.compose(false),
    onKeyDown: (event) => {
      if (event.key === "ArrowUp" && event.target.value === "" && !composes(event)) {
        event.preventDefault();
        onUp();
      }
      if (event.key !== "Enter" || event.shiftKey || event.altKey || composes(event)) return;
      event.preventDefault();
      if (!event.repeat) onEnter();
    },
  });
});

/** Whether this key belongs to an input method; Safari tells the last one only by its code. */
export function composes(event) {
  const { isComposing, keyCode } = event.nativeEvent ?? event;
  return isComposing || keyCode === IME_KEY_CODE;
}

function fit(element) {
  if (GROWS_BY_ITSELF) return;
  element.style.height = "auto";
  element.style.height = `${element.scrollHeight}px`;
}
