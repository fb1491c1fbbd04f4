/** The button that opens the sheet of a session's link; it says whether there is one. */

import { createElement as h, useEffect, useRef, useState } from "react";

import { ShareSheet } from "./share_sheet.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("share");

const OPEN = "open:share";

/** `share` is `{sid, token, with_arguments}` as far as it was asked about; `onLook(sid)` asks. */
export function ShareButton({ sid, share, carries, onLook, onShare, onUnshare }) {
  useLanguage();
  const [isOpen, setOpen] = useState(false);
  const button = useRef(null);
  const root = useRef(null);
  const isKnown = share?.sid === sid;
  const isShared = isKnown && Boolean(share.token);

  useEffect(() => setOpen(Boolean(sid) && wasOpen(sid)), [sid]);
  useEffect(() => {
    // What a sheet shows that was open while the link was away may have changed meanwhile.
    if (sid && carries && (isOpen || !isKnown)) onLook(sid);
  }, [sid, carries, isKnown]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = () => turn(false);
    const escape = (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      close();
      button.current?.focus();
    };
    const beside = ({ target }) => root.current?.contains(target) || close();
    window.addEventListener("keydown", escape, { capture: true });
    window.addEventListener("pointerdown", beside);
    return () => {
      window.removeEventListener("keydown", escape, { capture: true });
      window.removeEventListener("pointerdown", beside);
    };
  }, [isOpen, sid]);

  if (!sid) return null;
  const label = isShared ? words().isShared : words().share;
  return h("div", { className: "share", ref: root },
    h("button", {
      ref: button, type: "button", className: "icon-button share-button", "data-testid": "share",
      "data-shared": isKnown ? String(isShared) : undefined, "aria-label": label, title: label,
      "aria-haspopup": "dialog", "aria-expanded": isOpen,
      onClick: () => {
        // Another device may have changed it meanwhile.
        if (!isOpen && carries) onLook(sid);
        turn(!isOpen);
      },
    }, ICON),
    isOpen && h(ShareSheet, { key: sid, sid, share: isKnown ? share : null, onShare, onUnshare }));

  function turn(open) {
    setOpen(open);
    remember(sid, open);
  }
}

function wasOpen(sid) {
  try {
    return sessionStorage.getItem(OPEN) === sid;
  } catch {
    return false;
  }
}

function remember(sid, isOpen) {
  try {
    if (isOpen) sessionStorage.setItem(OPEN, sid);
    else sessionStorage.removeItem(OPEN);
  } catch {
    // Without storage it is closed after a reload.
  }
}

/** Lucide's share-2. */
const ICON = h("svg", { className: "cp-icon", viewBox: "0 0 24 24", "aria-hidden": true },
  h("circle", { cx: 18, cy: 5, r: 3 }), h("circle", { cx: 6, cy: 12, r: 3 }), h("circle", { cx: 18, cy: 19, r: 3 }),
  h("path", { d: "M8.6 13.5l6.8 4M15.4 6.5l-6.8 4" }));
