/** An answer: its text parts as Markdown, its reasoning folded, its calls, and what the test contract reads. */

import { createElement as h, useMemo } from "react";

import { ToolCall } from "../tool_call/tool_call.js";
import { Digest } from "./digest.js";
import { Markdown } from "./markdown.js";
import { placed } from "./placing.js";
import { Reasoning } from "./reasoning.js";
import { useRest } from "./use_rest.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("text");

const NO_CALLS = [];

export function Answer({ messageId, taskId, state, reason, live, view, calls, ...about }) {
  const pieces = useMemo(() => placed(view.parts, calls || NO_CALLS), [view.parts, calls]);
  const parts = pieces.map((piece, index) => renderPiece(piece, index === pieces.length - 1));
  // Reasoning before the first text stands beside the answer, later reasoning where it came.
  const first = pieces.findIndex((piece) => piece.kind !== "reasoning");
  const before = first < 0 ? parts.length : first;
  const resting = useRest(view, live);
  const isWaiting = live && waits(pieces.at(-1), state);

  return h("div", { className: resting ? "st-message st-resting" : "st-message" },
    ...parts.slice(0, before),
    h("div", {
      className: "st-answer",
      "data-testid": "answer",
      "data-task-id": taskId,
      "data-state": state,
      "data-reason": reason,
      "data-attempt": view.attempt,
      "data-offset": view.offset,
      "data-crc": view.crc,
    },
      ...parts.slice(before),
      isWaiting && h(Waiting, { key: "waiting" }),
      view.gap && h(Gap, { key: "gap" }),
      view.whole > 0 && h(Digest, { key: "digest", message: messageId, whole: view.whole })));

  function renderPiece({ kind, text, start, call }, isLast) {
    if (call) return h(ToolCall, { key: call.id, call, live, ...about });
    const growing = live && !view.gap && isLast;
    const key = `${kind}:${start}`;
    if (kind === "reasoning") return h(Reasoning, { key, name: `${messageId}:${start}`, text, growing });
    return h(Markdown, { key, text, growing });
  }
}

/** The model is asked and has not said a word: of the answer, or after the last call. */
function waits(last, state) {
  return !last || (last.kind === "tool_call" && state !== "tool_calling" && state !== "awaiting_confirm");
}

function Gap() {
  useLanguage();
  return h("div", { className: "st-gap", "data-testid": "gap-notice", "data-chrome": "" }, words().gap);
}

function Waiting() {
  useLanguage();
  return h("div", { className: "st-waiting", "data-chrome": "" },
    h("span", { className: "st-dots", "aria-hidden": true }, h("i"), h("i"), h("i")),
    h("span", { className: "st-waiting-words" }, words().waiting));
}
