/**
 * Whether the page and the server hear each other.
 *
 *     opening ──opened──▶ catching_up ──restored──▶ open ──closed | silent | offline──▶ lost
 *                              ▲                      ▲                                  │
 *                              └──────────opened──────┼──────────────────────────────────┤
 *                                                     └──────────heard again─────────────┘
 *
 * The server says something every four seconds. A socket on which nothing was heard for nine is dead, whatever
 * it believes itself, and is closed. A page that wakes, from sleep, freezing or the back/forward cache, asks at
 * once and waits for three seconds only. `open` is said when the restore of that very connection is on the page
 * (Case B131).
 */

import { createElement as h, useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";

import { signal } from "../composer/signal.js";
import * as socket from "./socket.js";

const SILENT_MS = 9000;
const ANSWER_MS = 3000;
const TICK_MS = 1000;
/** A tick as late as this comes from a page that slept. */
const SLEPT_MS = 3000;
const TOLD_AFTER_MS = 2000;

const WORDS = {
  opening: "Connecting.",
  catching_up: "Reconnecting. What you see is kept.",
  lost: "Reconnecting. What you see is kept.",
  offline: "You are offline. What you see is kept.",
  open: "",
};

/** The table of moves: state -> event -> state. An event that is not here changes nothing. */
export const MOVES = {
  opening: { opened: "catching_up", closed: "lost" },
  catching_up: { restored: "open", closed: "lost", offline: "lost", opened: "catching_up" },
  open: { closed: "lost", offline: "lost", opened: "catching_up" },
  lost: { opened: "catching_up", heard: "catching_up" },
};

const { listen, changed } = signal();
let state = "opening";
let restoredOn = "";
let heardAt = 0;

/** opening, catching_up, open or lost. */
export function useLink() {
  return useSyncExternalStore(listen, () => state, () => "opening");
}

/** Watches the link; `restoredOn` names the connection for which the last restore ran. */
export function LinkKeeper({ restoredOn: connection, ready }) {
  useEffect(watch, []);
  const link = useLink();
  useLayoutEffect(() => {
    restoredOn = ready ? connection : "";
    seeRestored();
  }, [connection, ready, link]);
  return null;
}

/** One line of small text, two seconds after the link went. */
export function ConnectionLine() {
  const link = useLink();
  const isOpen = link === "open";
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (isOpen) return undefined;
    const timer = setTimeout(setLong, TOLD_AFTER_MS, true);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [isOpen]);
  const words = WORDS[link === "lost" && !navigator.onLine ? "offline" : link];
  return h("p", {
    className: "connection",
    role: "status",
    "data-testid": "connection",
    "data-state": isOpen ? "connected" : link === "opening" ? "connecting" : "reconnecting",
  }, isLong ? words : "");
}

function happened(event) {
  const next = MOVES[state][event];
  if (!next || next === state) return;
  state = next;
  changed();
  seeRestored();
}

function seeRestored() {
  if (restoredOn && restoredOn === socket.openSocket()) happened("restored");
}

function watch() {
  let ticked = now();
  const endListening = socket.listen((event) => {
    if (event !== "closed") heardAt = now();
    happened(event);
  });
  if (socket.openSocket()) happened("opened");
  const ticking = setInterval(() => {
    const slept = now() - ticked > SLEPT_MS;
    ticked = now();
    if (slept) wake();
    else if (socket.openSocket() && now() - heardAt > SILENT_MS) socket.giveUp();
  }, TICK_MS);
  const visible = () => document.visibilityState === "visible" && wake();
  const offline = () => happened("offline");
  window.addEventListener("pageshow", wake);
  window.addEventListener("online", wake);
  window.addEventListener("offline", offline);
  document.addEventListener("visibilitychange", visible);
  return () => {
    endListening();
    clearInterval(ticking);
    window.removeEventListener("pageshow", wake);
    window.removeEventListener("online", wake);
    window.removeEventListener("offline", offline);
    document.removeEventListener("visibilitychange", visible);
  };
}

/** However many events say that the page woke, the server is asked once, and given three seconds. */
function wake() {
  const asked = now() - (SILENT_MS - ANSWER_MS);
  if (!socket.openSocket()) socket.openNow();
  else if (heardAt > asked) {
    heardAt = asked;
    socket.ask();
  }
}

function now() {
  return performance.now();
}
