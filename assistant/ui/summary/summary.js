/**
 * The line "Earlier messages are summarised for the model", between the last message that a summary stands for and the
 * first one that the model is told whole. Unfolded it shows the summary, as text, with its Delete.
 *
 *     folded ──opened──▶ asking ──answered──▶ read ──Delete──▶ gone, when the page hears of it
 *                          └──refused──▶ said why, asked again when it is opened again
 *
 * A text that was read is kept by the tab, so a reload draws it unfolded as it was.
 */

import { createElement as h, useEffect, useRef, useState } from "react";

import { wasOpen } from "../components/open_parts/open_parts.js";
import { call } from "../devices/server.js";
import { said, useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("summary");

const KEPT = "summary";
const GONE = {};

/** `summary` is the id of the one that the chosen branch of the session `sid` has. */
export function SummaryLine({ sid, summary }) {
  useLanguage();
  const name = `summary:${summary}`;
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(null);
  const [why, setWhy] = useState(null);
  const [leaving, setLeaving] = useState(false);
  const shown = useRef(summary);
  shown.current = summary;
  useEffect(() => {
    setText(readKept(summary));
    setWhy(null);
    setLeaving(false);
    setOpen(wasOpen(name));
  }, [summary]);
  useEffect(() => {
    if (isOpen && text === null) ask();
  }, [isOpen, summary]);

  async function ask() {
    setWhy(null);
    try {
      const told = (await call("GET", `/api/sessions/${encodeURIComponent(sid)}?limit=1`)).summary;
      if (shown.current !== summary) return;
      if (told?.id !== summary) return setWhy(GONE);
      keep(summary, told.text);
      setText(told.text);
    } catch (refusal) {
      if (shown.current === summary) setWhy(refusal.told);
    }
  }
  async function discard() {
    setLeaving(true);
    try {
      await call("DELETE", `/api/sessions/${encodeURIComponent(sid)}/summary`);
    } catch (refusal) {
      if (shown.current !== summary) return;
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
