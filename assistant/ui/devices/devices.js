/** At the foot of the sidebar: a sheet with a code and a link that bring this owner to another device, once. */

import { createElement as h, useCallback, useEffect, useRef, useState } from "react";

import { CopyButton } from "../stream_text/copy_button.js";
import { watchOwner } from "./owner_change.js";
import { call } from "./server.js";
import { doneOn, said, useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("devices");

const LINKS = "/api/owner/links";
const LOOK_MS = 2000;
const TICK_MS = 1000;

/** Loads the page again when this browser became another owner's. */
export function OwnerKeeper() {
  useEffect(watchOwner, []);
  return null;
}

export function DeviceButton() {
  useLanguage();
  const [isOpen, setOpen] = useState(false);
  const button = useRef(null);
  const wasOpen = useRef(false);
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => {
    // Not sooner: while the sheet is there, nothing behind it takes the focus.
    if (wasOpen.current && !isOpen) button.current.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return [
    h("button", { key: "button", ref: button, type: "button", className: "foot-button", "data-testid": "devices",
                  "aria-haspopup": "dialog", onClick: () => setOpen(true) }, DEVICES, words().button),
    isOpen && h(Sheet, { key: "sheet", onClose: close }),
  ];
}

function Sheet({ onClose }) {
  useLanguage();
  const dialog = useRef(null);
  const { link, fate, why, make, takeBack } = useLink();
  useEffect(() => dialog.current.showModal(), []);
  const pressed = (event) => {
    if (event.key !== "Escape") return;
    // Not for the composer, to which Escape says Stop.
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  const isOpen = link && fate === "open";
  return h("dialog", {
    ref: dialog, className: "dv-sheet", "data-testid": "device-sheet", "aria-labelledby": "dv-title",
    onKeyDown: pressed,
    onCancel: (event) => event.preventDefault(),
    onClick: (event) => event.target === dialog.current && onClose(),
  },
    h("div", { className: "dv-inside" },
      h("h2", { id: "dv-title", className: "dv-title" }, words().title),
      (isOpen || fate === "making") && [
        h("p", { key: "how", className: "dv-how" }, words().how),
        h("p", { key: "sees", className: "dv-small" }, words().sees),
      ],
      isOpen && h("div", { className: "dv-code-row" },
        h("output", { className: "dv-code", "data-testid": "device-code", "aria-label": words().code }, link.code),
        h(Copy, { text: link.code, name: "copy-device-code", says: "devices.copyCode" })),
      isOpen && h("div", { className: "dv-link-row" },
        h("input", { className: "dv-link", "data-testid": "device-link", "aria-label": words().link, readOnly: true,
                     value: addressOf(link), onFocus: ({ target }) => target.select() }),
        h(Copy, { text: addressOf(link), name: "copy-device-link", says: "devices.copyLink" })),
      h("p", { className: "dv-fate", role: "status", "data-testid": "device-fate", "data-fate": why ? "failed" : fate },
        why ? said(why) : h(Fate, { link, fate })),
      h("div", { className: "dv-choices" },
        isOpen && h("button", { type: "button", className: "quiet", "data-testid": "device-take-back", onClick: takeBack },
          words().takeBack),
        !isOpen && fate !== "making" && h("button", { type: "button", className: "quiet", "data-testid": "device-another",
                                                      onClick: make }, words().another),
        h("button", { type: "button", className: "dv-do", "data-testid": "device-close", onClick: onClose }, words().close))));
}

/** Copies, and says so in its own place. */
function Copy({ text, name, says }) {
  return h(CopyButton, { text: () => text, className: "icon-button dv-copy", name, says });
}

function Fate({ link, fate }) {
  useLanguage();
  const now = useNow(fate === "open");
  if (fate === "making") return words().making;
  if (fate === "used") return doneOn("devices", "used", link.used_on);
  if (fate === "taken back") return words().takenBack;
  if (fate === "over") return words().over;
  return h("span", { "aria-live": "off" }, words().left({ time: minutes(Math.min(link.until - now, link.lasts)) }));
}

/** A code of this sheet's own, made when it opens, and what becomes of it: making, open, used, over, taken back. */
function useLink() {
  const [link, setLink] = useState(null);
  const [fate, setFate] = useState("making");
  const [why, setWhy] = useState(null);
  const latest = useRef(0);
  const make = useCallback(async () => {
    const mine = (latest.current += 1);
    setFate("making");
    setWhy(null);
    try {
      const made = await call("POST", LINKS);
      if (mine !== latest.current) return;
      // The clock of this device may be wrong; what is left is not.
      const lasts = Date.parse(made.expires_at) - Date.parse(made.created_at);
      setLink({ ...made, lasts, until: Date.now() + lasts });
      setFate("open");
    } catch (refusal) {
      if (mine !== latest.current) return;
      setFate("failed");
      setWhy(refusal.told);
    }
  }, []);
  const takeBack = useCallback(async () => {
    try {
      await call("DELETE", `${LINKS}/${link.id}`);
      setFate("taken back");
    } catch (refusal) {
      setWhy(refusal.told);
    }
  }, [link]);
  useEffect(() => {
    make();
    return () => (latest.current += 1);
  }, []);
  useEffect(() => {
    if (fate !== "open") return undefined;
    const look = async () => {
      if (Date.now() >= link.until) setFate("over");
      const { links } = await call("GET", LINKS).catch(() => ({ links: [] }));
      const mine = links.find(({ id }) => id === link.id);
      if (!mine?.used_at) return;
      setLink((before) => ({ ...before, ...mine }));
      setFate("used");
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [fate, link?.id]);
  return { link, fate, why, make, takeBack };
}

function useNow(ticks) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticks) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
}

function addressOf({ url }) {
  return new URL(url, window.location.origin).href;
}

function minutes(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const DEVICES = h("svg", { viewBox: "0 0 24 24", className: "cp-icon", "aria-hidden": true },
  h("path", { d: "M3 17V6a1 1 0 0 1 1-1h14M2 17h9" }),
  h("rect", { x: 14, y: 9, width: 7, height: 11, rx: 1 }));
