/**
 * Search in the titles and texts of all sessions, in the place of their list.
 *
 *     empty ──typed──▶ asking ──answered──▶ found | nothing ──typed──▶ asking
 *       ▲                 └──refused──▶ said why
 *       └──cleared, Escape── (any)
 *
 * Only the answer to the last question counts. What was searched for is kept by the tab, so a reload finds it again.
 */

import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";

import { call } from "../devices/server.js";
import { said, useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("search");

const KEPT = "search";
const SEARCHING = "data-searching";
const PAUSE_MS = 150;
const MOST = 500;
const NOTHING = Object.freeze({ results: [], next: null, why: null, of: "" });

/** `onOpen(session)` shows one; `carries` says whether that reaches the server now. */
export function Search({ sid, carries, onOpen }) {
  useLanguage();
  const [text, setText] = useState("");
  const [found, setFound] = useState(NOTHING);
  const box = useRef(null);
  const asked = text.trim();
  useLayoutEffect(() => setText(readKept()), []);
  useEffect(() => listenForKey(box), []);
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute(SEARCHING, asked !== "");
    return () => document.documentElement.removeAttribute(SEARCHING);
  }, [asked !== ""]);
  useEffect(() => {
    keep(text);
    if (!asked) {
      setFound(NOTHING);
      return undefined;
    }
    const timer = setTimeout(ask, PAUSE_MS, asked, null);
    return () => clearTimeout(timer);
  }, [asked]);

  const wanted = useRef("");
  wanted.current = asked;
  async function ask(query, after) {
    const place = after === null ? "" : `&after=${after}`;
    try {
      const { results, next } = await call("GET", `/api/search?q=${encodeURIComponent(query)}${place}`);
      if (wanted.current !== query) return;
      setFound((before) => ({ results: after === null ? results : [...before.results, ...results], next, why: null, of: query }));
    } catch (refusal) {
      if (wanted.current === query) setFound({ ...NOTHING, why: refusal.told, of: query });
    }
  }
  const clear = () => setText("");
  const open = (event, session) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    document.documentElement.removeAttribute("data-sheet");
    if (carries && session !== sid) onOpen(session);
  };

  return h("div", { className: "search", role: "search" },
    h("input", {
      ref: box, type: "search", className: "search-box", "data-testid": "search", value: text, maxLength: MOST,
      placeholder: words().search, "aria-label": words().search, title: words().searchKeys,
      onChange: (event) => setText(event.target.value),
      onKeyDown: (event) => {
        if (event.key !== "Escape" || !text) return;
        event.preventDefault();
        event.stopPropagation(); // elsewhere it stops the answer, or closes the sheet
        clear();
      },
    }),
    asked && h("div", { className: "search-found" },
      h("p", { className: "search-told", role: "status", "data-testid": "search-told" }, told(found, asked)),
      h("ul", { "data-testid": "search-results" }, found.results.map((each, place) => h("li", { key: place },
        h("a", {
          href: `/?sid=${each.session_id}`, className: "search-result", "data-testid": "search-result",
          "data-session-id": each.session_id, onClick: (event) => open(event, each.session_id),
        },
          h("span", { className: "search-title", dir: "auto" }, each.title,
            each.state === "archived" && h("small", null, ` ${words().archived}`)),
          each.message_id && h("span", { className: "search-snippet", dir: "auto" }, marked(each.snippet)))))),
      found.next !== null && h("button", { type: "button", className: "session-more", "data-testid": "search-more",
                                           onClick: () => ask(found.of, found.next) }, words().more)));
}

function told({ results, next, why, of }, asked) {
  if (of !== asked) return "";
  if (why) return said(why);
  if (results.length === 0) return words().none;
  return next === null ? words().results({ count: results.length }) : "";
}

/** The snippet with what was found marked; ranges count code points. */
function marked({ text, ranges }) {
  const characters = Array.from(text);
  const pieces = [];
  let at = 0;
  for (const [start, end] of ranges) {
    pieces.push(characters.slice(at, start).join(""), h("mark", { key: start }, characters.slice(start, end).join("")));
    at = end;
  }
  return [...pieces, characters.slice(at).join("")];
}

function listenForKey(box) {
  const pressed = (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    document.documentElement.setAttribute("data-sheet", ""); // on a phone it is in the sheet
    box.current?.focus();
    box.current?.select();
  };
  window.addEventListener("keydown", pressed);
  return () => window.removeEventListener("keydown", pressed);
}

function readKept() {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

function keep(text) {
  try {
    if (text) sessionStorage.setItem(KEPT, text);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // A reload shows the list again.
  }
}
