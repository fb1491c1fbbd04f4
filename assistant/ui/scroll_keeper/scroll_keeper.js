/**
 * Keeps the place of the window: restored after a reload, at the bottom while the thread grows there.
 *
 *     following ──the user scrolls up──▶ staying ──the user reaches the bottom──▶ following
 *
 * A scroll counts as the user's when it comes right after a wheel, a touch, a key or a drag of the bar.
 */

import { useEffect, useLayoutEffect, useRef } from "react";

const NEAR_BOTTOM_PX = 48;
const USERS_MS = 700;
/** Off-screen blocks get their true height only when they are near: the anchor is set again until it holds. */
const SETTLING_FRAMES = 12;
const USERS_EVENTS = ["wheel", "touchmove", "keydown", "pointerdown"];

export function ScrollKeeper({ sid, ready }) {
  const place = useRef({ following: true, userUntil: 0, restored: "" });

  useEffect(() => {
    if ("scrollRestoration" in history) history.scrollRestoration = "manual";
    const now = place.current;
    const byUser = () => (now.userUntil = performance.now() + USERS_MS);
    const scrolled = () => {
      if (performance.now() > now.userUntil) return;
      now.following = atBottom();
      if (now.restored) write(now.restored, now.following);
    };
    const grew = new ResizeObserver(() => now.following && toBottom());
    grew.observe(document.body);
    // New text is followed before its frame is drawn: a scroll found due while drawing costs a second frame.
    let height = 0;
    const changed = new MutationObserver(() => {
      if (!now.following || height === document.documentElement.scrollHeight) return;
      height = document.documentElement.scrollHeight;
      toBottom();
    });
    changed.observe(document.body, { subtree: true, childList: true, characterData: true });
    for (const name of USERS_EVENTS) window.addEventListener(name, byUser, { passive: true });
    window.addEventListener("scroll", scrolled, { passive: true });
    const leaving = () => now.restored && write(now.restored, now.following);
    window.addEventListener("pagehide", leaving);
    return () => {
      grew.disconnect();
      changed.disconnect();
      for (const name of USERS_EVENTS) window.removeEventListener(name, byUser);
      window.removeEventListener("scroll", scrolled);
      window.removeEventListener("pagehide", leaving);
    };
  }, []);

  useLayoutEffect(() => {
    const now = place.current;
    if (!ready || now.restored === ready) return undefined;
    // The first send names the session under the feet of the page: nothing moves then.
    const named = now.restored === "new" && sid === ready;
    now.restored = ready;
    if (named) {
      now.following = true;
      return undefined;
    }
    const kept = read(ready);
    now.following = !kept || kept.bottom;
    let frame;
    let left = SETTLING_FRAMES;
    const settle = () => {
      if (performance.now() < now.userUntil) return;
      if (now.following) toBottom();
      else toAnchor(kept);
      left -= 1;
      if (left > 0) frame = requestAnimationFrame(settle);
    };
    settle();
    return () => cancelAnimationFrame(frame);
  }, [ready, sid]);

  return null;
}

function atBottom() {
  const page = document.documentElement;
  return page.scrollHeight - page.clientHeight - window.scrollY < NEAR_BOTTOM_PX;
}

function toBottom() {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
}

function toAnchor({ id, offset }) {
  const message = document.querySelector(`[data-message-id="${CSS.escape(id)}"]`);
  if (!message) return;
  const off = message.getBoundingClientRect().top - offset;
  if (Math.abs(off) > 0.5) window.scrollBy({ top: off, behavior: "instant" });
}

/** The first message that reaches below the upper edge, and where its top stands. */
function anchor() {
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
