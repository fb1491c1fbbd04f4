/**
 * The line "Earlier messages are summarised for the model", between the last message that a summary stands for and the
 * first one that the model is told whole. Unfolded it shows the summary, as text, with its Delete.
 *
 *     folded ──opened──▶ asking ──answered──▶ read ──Delete──▶ gone, when the page hears of it
 *                          └──refused──▶ said why, asked again when it is opened again
 *
 * A text that was read is kept by the tab, so the first frame after a reload draws it unfolded as it was.
 */

import { createElement as h, useEffect, useState } from "react";

import { call } from "../devices/server.js";
import { wasOpen } from "../open_parts/open_parts.js";
import { said, useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("summary");

const KEPT = "summary";
const GONE = {};

/** `summary` is the id of the one that the chosen branch of the session `sid` has; another one is another line. */
export function SummaryLine({ sid, summary }) {
  return h(Line, { key: summary, sid, summary });
}

function Line({ sid, summary }) {
  useLanguage();
  const name = `summary:${summary}`;
  const [isOpen, setOpen] = useState(() => wasOpen(name));
  const [text, setText] = useState(() => readKept(summary));
  const [why, setWhy] = useState(null);
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    if (isOpen && text === null) ask();
  }, [isOpen]);

  async function ask() {
    setWhy(null);
    try {
      const told = (await call("GET", `/api/sessions/${encodeURIComponent(sid)}?limit=1`)).summary;
      if (told?.id !== summary) return setWhy(GONE);
      keep(summary, told.text);
      setText(told.text);
    } catch (refusal) {
      setWhy(refusal.told);
    }
  }
  async function discard() {
    setLeaving(true);
    try {
      await call("DELETE", `/api/sessions/${encodeURIComponent(sid)}/summary`);
    } catch (refusal) {
      setWhy(refusal.told);
      setLeaving(false);
    }
  }

  return h("details", {
    className: "summary", "data-testid": "summary", "data-open-name": name, "data-summary-id": summary, open: isOpen,
    onToggle: (event) => setOpen(event.currentTarget.open),
  },
    h("summary", null, words().line),
    h("div", { className: "summary-text", "data-testid": "summary-text", dir: "auto" }, text ?? (why ? "" : words().asking)),
    h("p", { className: "summary-about" }, words().about),
    h("p", { role: "status", className: "summary-why" }, why === GONE ? words().gone : said(why)),
    h("button", { type: "button", className: "quiet", "data-testid": "summary-delete", disabled: leaving,
                  onClick: discard }, words().discard));
}

function readKept(summary) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    return kept?.id === summary && typeof kept.text === "string" ? kept.text : null;
  } catch {
    return null;
  }
}

function keep(id, text) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ id, text }));
  } catch {
    // It is asked for again after a reload.
  }
}
