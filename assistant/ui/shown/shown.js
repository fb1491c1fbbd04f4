/**
 * What the page showed last: kept over a reload in sessionStorage `page`, and over a reconnect in memory.
 *
 * `ShownKeeper` takes what a restore put on the page; `useKept` gives the last of it to whoever has nothing
 * restored yet, so that a reload and a server's new, empty state draw the page as it was.
 *
 *     {sid, ready, title, model, parameters, models, tools, busy_task, notice, rows, has_older, has_newer, summary,
 *      running,
 *      settled, queued, sessions, has_more_sessions}
 *
 * and, in sessionStorage only, `texts: [[message, attempt, text, parts, key?, length?], ...]` of the messages that
 * `rows` names, with the length of the whole where that is a digest. Unfinished answers are not among them: `stream_text` keeps those as they grow.
 */

import { useEffect, useLayoutEffect, useSyncExternalStore } from "react";

import { STOOD_NEW, expected } from "../composer/page_session.js";
import { tellHave } from "../stream_text/keeping.js";
import { afterFormulas } from "../stream_text/math.js";
import { rangesOf, take, textOf, view } from "../stream_text/store.js";
import { documentName } from "./this_document.js";

const PAGE = "page";
/** Browsers keep five million or so for a tab; the rest is for the answers that run. */
const MOST_CHARACTERS = 1_000_000;

const NOTHING = Object.freeze({
  sid: "", ready: "", title: "", model: "", parameters: {}, models: [], tools: [], busy_task: "", notice: {},
  rows: [], has_older: false, has_newer: false, summary: {}, running: {}, settled: {}, queued: [], sessions: [],
  has_more_sessions: false,
});

let kept = NOTHING;

if (typeof window !== "undefined") {
  readBack();
  tellHave();
}

/** What was shown last; nothing at the first drawing, as in the document that was built. */
export function useKept() {
  return useSyncExternalStore(neverTold, now, before);
}

/** Takes what the page shows, as `shown`, once it `isRestored`; keeps it when the page is left. */
export function ShownKeeper({ isRestored, promised, holds, onUnheld, ...shown }) {
  // Before its siblings read it: they are drawn anew when `isRestored` falls.
  if (isRestored) kept = fromProps(shown);
  const drawn = useKept();
  useLayoutEffect(() => {
    if (isRestored && shown.ready) write(STOOD_NEW, shown.ready === "new" ? documentName : "");
  }, [isRestored, shown.ready]);
  useLayoutEffect(() => {
    // What is kept comes with the second drawing; the page is not seen before, nor without its formulas.
    if (isRestored || drawn === kept) afterFormulas(() => document.documentElement.removeAttribute("data-painting"));
  }, [isRestored, drawn]);
  useEffect(() => {
    // Only when it is said: what is told after it changes what is held.
    if (isRestored && shown.ready && promised && promised !== holds) onUnheld();
  }, [promised]);
  useEffect(() => {
    const hidden = () => document.visibilityState === "hidden" && keep();
    window.addEventListener("pagehide", keep);
    document.addEventListener("visibilitychange", hidden);
    return () => {
      window.removeEventListener("pagehide", keep);
      document.removeEventListener("visibilitychange", hidden);
    };
  }, []);
  return null;
}

const neverTold = () => () => {};
const now = () => kept;
const before = () => NOTHING;

function fromProps({ sid, ready, title, model, busyTask, notice, rows, hasOlder, hasNewer, running, settled, ...rest }) {
  // While the same page is restored again it is not `ready`, and stands as it stood.
  return {
    sid, ready: ready || sid || "new", title, model, busy_task: busyTask, notice, rows, has_older: hasOlder,
    has_newer: hasNewer, running, settled, queued: rest.queued, sessions: rest.sessions, parameters: rest.parameters,
    models: rest.models, summary: rest.summary, tools: rest.tools, has_more_sessions: rest.hasMoreSessions,
  };
}

function readBack() {
  try {
    const { texts, ...page } = JSON.parse(sessionStorage.getItem(PAGE));
    if (page.sid !== expected() || !Array.isArray(page.rows)) return;
    take(texts.map(([m, a, x, p, c, w]) => ({ m, t: "", op: "replace", a, x, p, c, w })));
    kept = { ...NOTHING, ...page };
  } catch {
    // Nothing is kept, or not by us: the restore brings everything.
  }
}

function keep() {
  if (kept === NOTHING) return;
  const texts = textsOf(kept);
  const rows = kept.rows.slice(texts.skipped);
  const page = { ...kept, rows, has_older: kept.has_older || texts.skipped > 0, texts: texts.kept };
  if (!write(PAGE, JSON.stringify(page))) forget();
}

/** The texts of the newest messages, and how many older ones there was no room for. */
function textsOf({ rows, running }) {
  const texts = [];
  let left = MOST_CHARACTERS;
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const { id, client_id: key } = rows[at];
    const held = view(id);
    const isKeptElsewhere = id in running && !held.ended;
    if (isKeptElsewhere) continue;
    const text = textOf(held);
    left -= text.length;
    if (left < 0) return { kept: texts, skipped: at + 1 };
    const digest = held.whole ? [key ?? "", held.whole] : [];
    texts.unshift([id, held.attempt, text, rangesOf(held), ...(key && !held.whole ? [key] : digest)]);
  }
  return { kept: texts, skipped: 0 };
}

function write(name, value) {
  try {
    sessionStorage.setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

function forget() {
  try {
    sessionStorage.removeItem(PAGE);
  } catch {
    // Where nothing may be kept there is nothing to forget.
  }
}
