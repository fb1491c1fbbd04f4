/**
 * What a reader's page showed: kept over a reload in sessionStorage `shared-page`, by the address of the page.
 *
 *     {path, title, rows, tasks, has_older, texts: [[message, attempt, text, parts], ...]}
 *
 * It is apart from what the reader's own sessions keep. When the link does not work any more, all of it goes:
 * from the page, from the store of the texts, and from the storage.
 */

import { useEffect, useLayoutEffect, useSyncExternalStore } from "react";

import { keep as keepAnswers, tellHave } from "../stream_text/keeping.js";
import { afterFormulas } from "../stream_text/math.js";
import { rangesOf, take, textOf, view } from "../stream_text/store.js";

const PAGE = "shared-page";
const GONE = "gone";
const MOST_CHARACTERS = 1_000_000;

const NOTHING = Object.freeze({ title: "", rows: [], tasks: {}, has_older: false });

let kept = NOTHING;

if (typeof window !== "undefined") {
  readBack();
  tellHave();
}

/** What was shown last at this address; nothing at the first drawing. */
export function useKeptShared() {
  return useSyncExternalStore(neverTold, now, before);
}

/** Takes what the page shows once it is `ready`; keeps it when the page is left. */
export function SharedKeeper({ ready, title, rows, tasks, hasOlder }) {
  if (ready && ready !== GONE) kept = { title, rows, tasks, has_older: hasOlder };
  const drawn = useKeptShared();
  useLayoutEffect(() => {
    if (ready === GONE) forget();
  }, [ready]);
  useLayoutEffect(() => {
    // What is kept comes with the second drawing; the page is not seen before, nor without its formulas.
    if (ready || drawn === kept) afterFormulas(() => document.documentElement.removeAttribute("data-painting"));
  }, [ready, drawn]);
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

function readBack() {
  try {
    const { path, texts, ...page } = JSON.parse(sessionStorage.getItem(PAGE));
    if (path !== window.location.pathname || !Array.isArray(page.rows)) return;
    take(texts.map(([m, a, x, p]) => ({ m, t: "", op: "replace", a, x, p })));
    kept = { ...NOTHING, ...page };
  } catch {
    // Nothing is kept, or not by us: the follow brings everything.
  }
}

function keep() {
  if (kept === NOTHING) return;
  const { texts, skipped } = textsOf(kept);
  const page = { ...kept, rows: kept.rows.slice(skipped), has_older: kept.has_older || skipped > 0 };
  try {
    sessionStorage.setItem(PAGE, JSON.stringify({ path: window.location.pathname, ...page, texts }));
  } catch {
    remove();
  }
}

/** The texts of the newest messages, and how many older ones there was no room for. */
function textsOf({ rows, tasks }) {
  const texts = [];
  let left = MOST_CHARACTERS;
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const { id } = rows[at];
    const held = view(id);
    const isKeptElsewhere = tasks[id]?.live && !held.ended;
    if (isKeptElsewhere) continue;
    const text = textOf(held);
    left -= text.length;
    if (left < 0) return { texts, skipped: at + 1 };
    texts.unshift([id, held.attempt, text, rangesOf(held)]);
  }
  return { texts, skipped: 0 };
}

function forget() {
  take(kept.rows.map(({ id }) => ({ m: id, op: "drop" })));
  kept = NOTHING;
  keepAnswers();
  remove();
}

function remove() {
  try {
    sessionStorage.removeItem(PAGE);
  } catch {
    // Where nothing may be kept there is nothing to forget.
  }
}
