/**
 * Whether the page and the server hear each other.
 *
 *     opening ──opened──▶ catching_up ──restored──▶ open ──closed | silent | offline──▶ lost
 *                              ▲                      ▲                                  │
 *                              └──────────opened──────┼──────────────────────────────────┤
 *                                                     └──────────heard again─────────────┘
 *     catching_up ──unknown──▶ unknown ──closed──▶ lost
 *
 * The server says something every four seconds. A socket on which nothing was heard for nine is dead, whatever
 * it believes itself, and is closed. A page that wakes, from sleep, freezing or the back/forward cache, asks at
 * once and waits for three seconds only. `open` is said when the restore of that very connection is on the page
 * (Case B131). A browser that is not known on its connection says so and waits there, without asking again, until
 * the page wakes or a minute has gone: another connection brings the cookie of then (Case B137).
 */

import { createElement as h, useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";

import { signal } from "../composer/signal.js";
import { tellHave } from "../stream_text/keeping.js";
import { useLanguage, wordsOf } from "../words/words.js";
import * as socket from "./socket.js";

const words = wordsOf("link");

const SILENT_MS = 9000;
const ANSWER_MS = 3000;
const TICK_MS = 1000;
/** A tick as late as this comes from a page that slept. */
const SLEPT_MS = 3000;
const UNKNOWN_MS = 60_000;
const TOLD_AFTER_MS = 2000;

const WORDS = { catching_up: "reconnecting", lost: "reconnecting" };

/** What the page tells of it. */
const STATES = {
  opening: "connecting", catching_up: "reconnecting", lost: "reconnecting", open: "connected", unknown: "unknown",
};

/** The table of moves: state -> event -> state. An event that is not here changes nothing. */
export const MOVES = {
  opening: { opened: "catching_up", closed: "lost" },
  catching_up: { restored: "open", unknown: "unknown", closed: "lost", offline: "lost", opened: "catching_up" },
  open: { closed: "lost", offline: "lost", opened: "catching_up" },
  lost: { opened: "catching_up", heard: "catching_up" },
  unknown: { closed: "lost", offline: "lost", opened: "catching_up" },
};

const { listen, changed } = signal();
let state = "opening";
let restoredOn = "";
let unknownOn = "";
let wasOpened = false;
let heardAt = 0;

/** opening, catching_up, open, lost or unknown. */
export function useLink() {
  return useSyncExternalStore(listen, () => state, () => "opening");
}

/**
 * Watches the link; `restoredOn` names the connection for which the last restore ran, `unknownOn` one on which
 * none can.
 */
export function LinkKeeper({ restoredOn: connection, unknownOn: stranger, ready }) {
  useEffect(watch, []);
  const link = useLink();
  useLayoutEffect(() => {
    restoredOn = ready ? connection : "";
    unknownOn = stranger;
    // In development a restore can be here before the socket is met; it came over one that is open.
    if (restoredOn && !socket.isMet()) happened("opened"), happened("restored");
    seeRestored();
  }, [connection, stranger, ready, link]);
  return null;
}

/** One line of small text, two seconds after the link went. */
export function ConnectionLine() {
  useLanguage();
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
  const name = link !== "lost" ? link : !navigator.onLine ? "offline" : wasOpened ? "lost" : "unreached";
  return h("p", {
    className: "connection",
    role: "status",
    "data-testid": "connection",
    "data-state": STATES[link],
  }, isLong && !isOpen ? words()[WORDS[name] ?? name] : "");
}

function happened(event) {
  const next = MOVES[state][event];
  if (!next || next === state) return;
  state = next;
  wasOpened ||= event === "opened";
  changed();
  seeRestored();
}

function seeRestored() {
  if (restoredOn && restoredOn === socket.openSocket()) happened("restored");
  else if (unknownOn && unknownOn === socket.openSocket()) happened("unknown");
}

function watch() {
  let ticked = now();
  const endListening = socket.listen((event) => {
    // Nothing more comes on it: what is held now is what the next one begins with.
    if (event === "closing") tellHave();
    else if (event !== "closed") heardAt = now();
    happened(event);
  });
  if (socket.openSocket()) happened("opened");
  const ticking = setInterval(() => {
    const slept = now() - ticked > SLEPT_MS;
    ticked = now();
    if (slept) wake();
    else if (socket.openSocket() && now() - heardAt > (state === "unknown" ? UNKNOWN_MS : SILENT_MS)) socket.giveUp();
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
  else if (state === "unknown") socket.giveUp();
  else if (heardAt > asked) {
    heardAt = asked;
    socket.ask();
  }
}

function now() {
  return performance.now();
}
