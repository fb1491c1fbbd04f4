/**
 * Keeps the place of the window: restored after a reload, at the bottom while the thread grows there.
 *
 *     following ──the user scrolls up──▶ staying ──the user reaches the bottom, or presses "newest"──▶ following
 *
 * A new page has no newest yet: it stands at its top until something is sent.
 *
 * A scroll is the user's unless it is ours, comes with a change of the page's height while no hand is on it, or
 * belongs to the way to another session.
 */

import { createElement as h, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";

import { signal } from "../composer/signal.js";
import { useLanguage, wordAt } from "../words/words.js";

const NEAR_BOTTOM_PX = 48;
const FAR_FROM_BOTTOM_PX = 240;
const USERS_MS = 700;
const ROLLING_MS = 1000;
/** Off-screen blocks get their true height only when they are near: the anchor is set again until it holds. */
const SETTLING_FRAMES = 12;
const SCROLLS = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " ", "Tab"]);
const USERS_EVENTS = ["wheel", "touchmove", "keydown"];

const { listen, changed } = signal();
const { listen: listenToHand, changed: scrolledByHand } = signal();
const now = {
  following: true, userUntil: 0, dragging: false, restored: "", arrivedAt: 0, ours: -1, height: 0, isFar: false,
  /** The thread goes on below the page's last row: its end is not the newest. */
  hasNewer: false,
  /** A place whose message is not on the page yet. */
  wanted: null,
};

/** Call `tell` when the page begins or ends to be far from the newest; returns how to end that. */
export { listen };

/** Call `tell` when a wheel, a finger or a key scrolls, also where nothing moves any more; returns how to end that. */
export { listenToHand };

/** `ready` is the session, or "new", whose rows are on the page. */
export function ScrollKeeper({ sid, ready }) {
  useEffect(watch, []);

  const before = useRef("");
  useLayoutEffect(() => {
    if (!ready || before.current === ready) return undefined;
    // The first send names the session under the feet of the page: nothing moves then. One that has a place was
    // here before, and is come back to from a new page.
    const kept = read(ready);
    const named = before.current === "new" && sid === ready && kept === null;
    before.current = now.restored = ready;
    // What the hand did was to another page, and what still rolls from it too.
    now.userUntil = 0;
    now.arrivedAt = performance.now();
    if (named) {
      now.following = true;
      return undefined;
    }
    return settle(kept);
  }, [ready, sid]);

  return null;
}

/** A way down, while the newest is far below. */
export function ToNewest() {
  useLanguage();
  const label = wordAt("page.newest");
  const isFar = useSyncExternalStore(listen, () => now.isFar, () => false);
  if (!isFar) return null;
  return h("button", {
    type: "button", className: "to-newest", "data-testid": "to-newest", "aria-label": label, title: label,
    onClick: followNewest,
  }, h("svg", { className: "cp-icon", viewBox: "0 0 24 24", "aria-hidden": true },
    h("path", { d: "M12 5v14M5 12l7 7 7-7" })));
}

/** Whether the page stands at the end of this session, and goes where that goes. */
export function isFollowing(session) {
  return now.following && now.restored === session;
}

/** Go to the newest and with it; when it is not on the page it is asked for (`ui/paging`). */
export function followNewest() {
  now.following = true;
  if (!now.hasNewer) toBottom();
  write(now.restored, true);
  seeHowFar();
}

/** Whether the thread goes on below the last row of the page. */
export function setNewer(hasNewer) {
  if (now.hasNewer === hasNewer) return;
  now.hasNewer = hasNewer;
  seeHowFar();
}

/** Rows came or went: stand where the page stood, as `anchor` said before; after a step to another version there. */
export function hold(place) {
  now.height = heightOfPage();
  if (place.isStep) {
    now.wanted = null;
    toAnchor(place);
    now.following = atBottom() && !now.hasNewer;
    write(now.restored, now.following);
  } else if (now.following && !now.hasNewer) now.dragging || toBottom();
  else if (now.wanted && find(now.wanted.id)) toAnchor(now.wanted);
  else toAnchor(place);
  seeHowFar();
}

function watch() {
  if ("scrollRestoration" in history) history.scrollRestoration = "manual";
  const byUser = ({ type, key, target }) => {
    const isTyped = type === "keydown" && (!SCROLLS.has(key) || target.matches?.("input, textarea"));
    if (isTyped) return;
    now.userUntil = performance.now() + USERS_MS;
    scrolledByHand();
  };
  const pressed = (event) => (now.dragging = isScrollBar(event));
  const moved = (event) => now.dragging && event.buttons === 0 && (now.dragging = false);
  const followed = () => now.height !== heightOfPage() && follow();
  const grew = new ResizeObserver(followed);
  grew.observe(document.body);
  // New text is followed before its frame is drawn: a scroll found due while drawing costs a second frame.
  const changedText = new MutationObserver(followed);
  changedText.observe(document.body, { subtree: true, childList: true, characterData: true });
  const leaving = () => now.restored && isOfUrl() && write(now.restored, now.following);
  for (const name of USERS_EVENTS) window.addEventListener(name, byUser, { passive: true });
  window.addEventListener("pointerdown", pressed, { passive: true });
  window.addEventListener("pointermove", moved, { passive: true });
  window.addEventListener("scroll", scrolled, { passive: true });
  window.addEventListener("pagehide", leaving);
  return () => {
    grew.disconnect();
    changedText.disconnect();
    for (const name of USERS_EVENTS) window.removeEventListener(name, byUser);
    window.removeEventListener("pointerdown", pressed);
    window.removeEventListener("pointermove", moved);
    window.removeEventListener("scroll", scrolled);
    window.removeEventListener("pagehide", leaving);
  };
}

function scrolled() {
  const isOurs = Math.abs(window.scrollY - now.ours) <= 2;
  if (isOurs && now.following && !now.isFar) return;
  const grown = now.height !== heightOfPage();
  now.height = heightOfPage();
  const isAtHome = performance.now() - now.arrivedAt > ROLLING_MS;
  if (!isOurs && (isHandOn() || (isAtHome && !grown)) && isOfUrl()) {
    now.following = atBottom() && !now.hasNewer;
    now.wanted = null;
    if (now.restored) write(now.restored, now.following);
  }
  seeHowFar();
}

function follow() {
  now.height = heightOfPage();
  if (!now.following) seeHowFar();
  else if (!now.dragging && !isUnwritten()) toBottom();
}

function seeHowFar() {
  const isFar = !now.following && (now.hasNewer || toGo() > FAR_FROM_BOTTOM_PX);
  if (isFar === now.isFar) return;
  now.isFar = isFar;
  changed();
}

/** Stand where the page stood, again with each frame until heights are what they will be. */
function settle(kept) {
  now.following = !kept || kept.bottom;
  now.wanted = kept && !kept.bottom && !find(kept.id) ? kept : null;
  let frame;
  let left = SETTLING_FRAMES;
  const stand = () => {
    if (isHandOn()) return;
    if (isUnwritten()) window.scrollTo({ top: 0, behavior: "instant" });
    else if (now.following || now.wanted) toBottom();
    else toAnchor(kept);
    left -= 1;
    if (left > 0) frame = requestAnimationFrame(stand);
    else seeHowFar();
  };
  stand();
  return () => cancelAnimationFrame(frame);
}

function isHandOn() {
  return now.dragging || performance.now() < now.userUntil;
}

/** On the way to another session the window still shows the one before; its place is not to be changed. */
function isOfUrl() {
  return (new URLSearchParams(window.location.search).get("sid") || "new") === now.restored;
}

function isScrollBar({ target, clientX }) {
  return target === document.documentElement && clientX >= document.documentElement.clientWidth;
}

function isUnwritten() {
  return now.restored === "new" && !document.querySelector("[data-message-id], [data-testid='outbox-item']");
}

function heightOfPage() {
  return document.documentElement.scrollHeight;
}

function toGo() {
  const page = document.documentElement;
  return page.scrollHeight - page.clientHeight - window.scrollY;
}

function atBottom() {
  return toGo() < NEAR_BOTTOM_PX;
}

function toBottom() {
  window.scrollTo({ top: heightOfPage(), behavior: "instant" });
  now.ours = window.scrollY;
}

function toAnchor({ id, offset }) {
  const message = find(id);
  if (!message) return;
  const off = message.getBoundingClientRect().top - offset;
  if (Math.abs(off) > 0.5) window.scrollBy({ top: off, behavior: "instant" });
  now.ours = window.scrollY;
}

function find(id) {
  return id ? document.querySelector(`[data-message-id="${CSS.escape(id)}"]`) : null;
}

/** The first message that reaches below the upper edge, and where its top stands. */
export function anchor() {
  for (const message of document.querySelectorAll("[data-message-id]")) {
    const { top, bottom } = message.getBoundingClientRect();
    if (bottom > 0) return { id: message.dataset.messageId, offset: top };
  }
  return null;
}

function write(session, bottom) {
  const held = bottom ? { bottom } : { bottom, ...anchor() };
  try {
    sessionStorage.setItem(`scroll:${session}`, JSON.stringify(held));
  } catch {
    // Without storage the page opens at its end.
  }
}

function read(session) {
  try {
    return JSON.parse(sessionStorage.getItem(`scroll:${session}`) ?? "null");
  } catch {
    return null;
  }
}
