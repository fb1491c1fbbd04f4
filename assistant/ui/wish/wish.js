/** What the page imports: `WishButton`, a wish of one click, and `WishKeeper`, one a page. */

import { createElement as h, useEffect, useLayoutEffect, useSyncExternalStore } from "react";

import { useLanguage, wordAt } from "../words/words.js";
import * as wishes from "./wishes.js";

/**
 * A button that sends its wish once a press; busy until the wish's fate is known. `label` is the place of its words in the
 * tables; `title` says what is wished for, where several buttons do the same. One that `holdsFocus` keeps it while it is
 * busy, for what comes in its place.
 */
export function WishButton({
  kind, about, name, label, title, className = "quiet", onPress, disabled, holdsFocus = false, children,
}) {
  useLanguage();
  const words = wordAt(label);
  const isPending = useSyncExternalStore(wishes.listen, () => wishes.isPending(kind, about), () => false);
  return h("button", {
    type: "button",
    className,
    "data-testid": name,
    "aria-label": title || (children ? words : undefined),
    title: children ? words : undefined,
    "aria-busy": isPending,
    "aria-disabled": (holdsFocus && isPending) || undefined,
    disabled: (isPending && !holdsFocus) || Boolean(disabled),
    onClick: (event) => event.detail <= 1 && wishes.send(kind, about, label, onPress),
  }, children ?? words);
}

/** Settles what was wished: takes the replies, and withdraws what got none. */
export function WishKeeper({ replies, ready, onWithdraw }) {
  useEffect(wishes.start, []);
  useLayoutEffect(() => wishes.withdrawBy(onWithdraw));
  useLayoutEffect(() => wishes.takeReplies(replies ?? []), [replies]);
  useLayoutEffect(() => wishes.setReady(Boolean(ready)), [ready]);
  return null;
}
