/** Under the digest of a long old message: a button that brings the whole. */

import { createElement as h, useEffect, useState } from "react";

import { open, wasOpened } from "./whole.js";
import { locale, useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("text");

/** `whole` is how many characters the message has. */
export function Digest({ message, whole }) {
  useLanguage();
  const [asking, setAsking] = useState(false);
  const show = async () => {
    setAsking(true);
    await open(message);
    setAsking(false);
  };
  useEffect(() => {
    if (wasOpened(message)) show();
  }, [message]);
  return h("button", {
    type: "button", className: "quiet st-digest", "data-testid": "show-whole", "data-chrome": "", disabled: asking, onClick: show,
  }, words().showWhole({ count: whole.toLocaleString(locale()) }));
}
