/**
 * Forgets the owner in this browser.
 *
 *     at rest ──button──▶ asking ──forget──▶ going ──the server took the cookie back──▶ /forgotten.html, in every tab
 *        ▲                  │ │                └──it did not──▶ asking (said why)
 *        └──keep, Escape────┘ ▼
 *
 * Nothing is cleared before the cookie is gone, and nothing by this page: a page that is left still writes what it
 * shows. The one that follows clears everything, in each tab once more.
 */

import { createElement as h, useEffect, useRef, useState } from "react";

import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("forget");

const CHANNEL = "forget-this-browser";
const FORGOTTEN = "/forgotten.html";

/** A name that the browser keeps until it is forgotten: a page that wakes and does not find it was forgotten. */
const KNOWN = "browser";

let known = null;
let isLeaving = false;

export function ForgetBrowser({ server }) {
  useLanguage();
  const [state, setState] = useState("rest");
  const button = useRef(null);
  const asked = useRef(null);
  useEffect(followOthers, []);
  useEffect(() => {
    if (state === "asking") asked.current?.focus();
  }, [state]);
  const keep = () => {
    setState("rest");
    setTimeout(() => button.current?.focus());
  };
  const forget = async () => {
    setState("going");
    setState((await takeBackCookie(server)) ? "gone" : "failed");
  };
  useEffect(() => {
    if (state === "gone") leaveEverywhere();
  }, [state]);
  if (state === "rest") {
    return h("button", { type: "button", ref: button, className: "foot-button forget", "data-testid": "forget",
                         onClick: () => setState("asking") }, BROOM, words().forget);
  }
  const isGoing = state === "going" || state === "gone";
  return h("div", {
    className: "forget-asked", role: "group", "data-testid": "forget-asked", "aria-label": words().forget,
    onKeyDown: (event) => event.key === "Escape" && !isGoing && keep(),
  },
    h("p", { ref: asked, tabIndex: -1 }, words().meaning),
    h("p", { role: "status" }, state === "failed" ? words().failed : ""),
    h("button", { type: "button", className: "quiet", "data-testid": "forget-keep", disabled: isGoing, onClick: keep },
      words().keep),
    h("button", { type: "button", className: "quiet forget-now", "data-testid": "forget-now", disabled: isGoing,
                  onClick: forget }, words().now));
}

const BROOM = h("svg", { viewBox: "0 0 24 24", className: "cp-icon", "aria-hidden": true },
  h("path", { d: "m7 21-4.3-4.3a1 1 0 0 1 0-1.4l10-10a1 1 0 0 1 1.4 0l5.6 5.6a1 1 0 0 1 0 1.4L13 19M22 21H7M5 11l9 9" }));

async function takeBackCookie(server) {
  const address = new URL("/api/owner", server || location.origin);
  if (server) address.hostname = location.hostname;
  try {
    return (await fetch(address, { method: "DELETE", credentials: "include" })).ok;
  } catch {
    return false;
  }
}

function followOthers() {
  known = knownName();
  const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(CHANNEL);
  channel?.addEventListener("message", leave);
  const heard = ({ key }) => key === CHANNEL && leave();
  const back = ({ persisted }) => {
    isLeaving = false;
    if (persisted && known !== nameNow()) leave();
  };
  window.addEventListener("storage", heard);
  // The way back must not show a page that the browser kept whole.
  window.addEventListener("pageshow", back);
  return () => {
    channel?.close();
    window.removeEventListener("storage", heard);
    window.removeEventListener("pageshow", back);
  };
}

function leaveEverywhere() {
  if (typeof BroadcastChannel !== "undefined") {
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage("");
    channel.close();
  }
  try {
    localStorage.setItem(CHANNEL, String(Date.now()));
  } catch { /* the channel has told them */ }
  leave();
}

/** Once: its own word comes back to a page over the channel, and another going would end the first. */
function leave() {
  if (isLeaving) return;
  isLeaving = true;
  location.replace(FORGOTTEN);
}

function knownName() {
  try {
    if (nameNow() === null) localStorage.setItem(KNOWN, crypto.randomUUID?.() ?? String(Math.random()));
    // This tab's own copy: a document that finds another name, or none, was forgotten meanwhile (`ui/document.py`).
    sessionStorage.setItem(KNOWN, nameNow());
  } catch { /* nothing is kept, so nothing can be forgotten */ }
  return nameNow();
}

function nameNow() {
  try {
    return localStorage.getItem(KNOWN);
  } catch {
    return null;
  }
}
