/**
 * A tool call in an answer, as its row says it stands; drawing one starts nothing.
 *
 *     waits for a decision ──▶ Card      it stands out: what will happen, the arguments, Approve and Deny
 *     outcome unknown      ──▶ Doubt     amber: Mark done, Run again
 *     anything else        ──▶ Line      one quiet line, details folded
 */

import { createElement as h, memo, useLayoutEffect, useRef } from "react";

import { useLanguage } from "../words/words.js";
import { Card } from "./card.js";
import { Doubt } from "./doubt.js";
import { keepReason } from "./kept.js";
import { Line } from "./line.js";
import { told } from "./told.js";

const SHAPES = { card: Card, doubt: Doubt, line: Line };

/**
 * `live` while the task runs, `busy` while any of the session does, or where it could only go
 * on by taking later messages off the page. `onDecide(call, decision, hash, reason, key)`,
 * `onMarkDone(call, key)` and `onRunAgain(call, key)` are what a person can wish.
 */
export const ToolCall = memo(function ToolCall({ call, live, busy, onDecide, onMarkDone, onRunAgain }) {
  useLanguage();
  const shape = call.hash ? "card" : call.unknown ? "doubt" : "line";
  const root = useRef(null);
  const acted = useRef(false);
  const before = useRef(shape);
  useLayoutEffect(() => {
    // The button that was pressed is gone: who goes by the keyboard stays where it was.
    const isLeft = document.activeElement === document.body || document.activeElement === null;
    if (before.current !== shape && acted.current && isLeft) root.current.focus({ preventScroll: true });
    before.current = shape;
    if (shape !== "card") keepReason(call.id, null);
  }, [shape, call.id]);

  return h("div", {
    ref: root,
    className: `tc tc-${shape}`,
    role: "group",
    tabIndex: -1,
    "aria-label": told(call),
    "data-testid": "tool-call",
    "data-chrome": "",
    "data-call-id": call.id,
    "data-state": call.state,
    "data-reason": call.reason ?? "",
    onClick: () => (acted.current = true),
    onKeyDown: () => (acted.current = true),
  }, h(SHAPES[shape], { call, live, busy, onDecide, onMarkDone, onRunAgain }));
});
