/** An answer: its text parts as Markdown, its reasoning folded, and what the test contract reads. */

import { createElement as h } from "react";

import { Markdown } from "./markdown.js";
import { Reasoning } from "./reasoning.js";
import { useRest } from "./use_rest.js";
import { words } from "./words.js";

export function Answer({ messageId, taskId, state, reason, live, view }) {
  const parts = view.parts.map((part, index) => renderPart(part, index, view.parts));
  // Reasoning before the first text stands beside the answer, later reasoning where it came.
  const first = view.parts.findIndex((part) => part.kind !== "reasoning");
  const before = first < 0 ? parts.length : first;
  const resting = useRest(view, live);

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
      live && view.offset === 0 && h(Waiting, { key: "waiting" }),
      view.gap && h(Gap, { key: "gap" })));

  function renderPart(part, index, all) {
    const growing = live && !view.gap && index === all.length - 1;
    if (part.kind === "reasoning") {
      return h(Reasoning, { key: index, name: `${messageId}:${index}`, text: part.text, growing });
    }
    return part.kind === "text" ? h(Markdown, { key: index, text: part.text, growing }) : null;
  }
}

function Gap() {
  return h("div", { className: "st-gap", "data-testid": "gap-notice", "data-chrome": "" }, words().gap);
}

function Waiting() {
  return h("div", { className: "st-waiting", "data-chrome": "" },
    h("span", { className: "st-dots", "aria-hidden": true }, h("i"), h("i"), h("i")),
    h("span", { className: "st-waiting-words" }, words().waiting));
}
