/**
 * The list of sessions: open one, give it another title, delete it and take that back.
 *
 * On a phone it is a sheet that `SheetButton` opens; a choice, Escape and a tap beside it close it.
 */

import { createElement as h, useEffect, useRef, useState } from "react";

import * as hints from "../composer/hint.js";
import { WishButton } from "../wish/wish.js";
import * as wishes from "../wish/wishes.js";
import { words } from "./words.js";

const SHEET = "data-sheet";
const UNDO_MS = 30_000;
const DELETED = "deleted";

/** `carries` says whether what is asked for now reaches the server; nothing happens later by itself. */
export function SessionList({ rows, sid, carries, onOpen, onRename, onDelete, onUndo }) {
  const [renaming, setRenaming] = useState("");
  const [deleted, noteDeleted] = useDeleted(rows);
  const open = (event, session) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    closeSheet();
    if (!carries) hints.say(words().offline);
    else if (session !== sid) onOpen(session);
  };
  return h("ul", { className: "sessions" },
    rows.map(({ id, title }) => h("li", { key: id, className: "session-row" },
      renaming === id
        ? h(Title, { id, title, onDone: () => setRenaming(""), onRename })
        : h("a", {
            href: `/?sid=${id}`,
            className: id === sid ? "session session-shown" : "session",
            "data-testid": "session-item",
            "data-session-id": id,
            "aria-current": id === sid ? "page" : "false",
            title,
            onClick: (event) => open(event, id),
          }, title),
      renaming !== id && h("span", { className: "session-tools" },
        h("button", { type: "button", className: "icon-button", "data-testid": "rename", "aria-label": words().rename(title),
                      title: words().renameTip, onClick: () => setRenaming(id) }, PENCIL),
        h(WishButton, { kind: "delete", about: id, name: "delete", label: words().remove, title, className: "icon-button",
                        onPress: (key) => {
                          noteDeleted({ id, title });
                          onDelete(id, key);
                        } }, BIN)))),
    // Over the end of the list, so that nothing moves under the hand.
    h("li", { className: "session-deleted" }, deleted.map(({ id, title }) => h("div", { key: id, role: "status" },
      h("span", null, words().deleted(title)),
      h(WishButton, { kind: "undo_delete", about: id, name: "undo-delete", label: words().undo,
                      onPress: (key) => onUndo(id, key) })))));
}

/** Leaves the session for a new one; `onNew` is told only when that happens now. */
export function NewSessionButton({ carries, onNew, label }) {
  return h("button", {
    type: "button", className: "quiet new-session", "data-testid": "new-session",
    onClick: () => {
      closeSheet();
      if (carries) onNew();
      else hints.say(words().offline);
    },
  }, label);
}

/** Opens the list where there is no room for it beside the thread. */
export function SheetButton() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const seen = new MutationObserver(() => setOpen(document.documentElement.hasAttribute(SHEET)));
    seen.observe(document.documentElement, { attributeFilter: [SHEET] });
    const escape = (event) => {
      if (event.key !== "Escape" || !isOpen || event.target.matches("input")) return;
      event.preventDefault();
      closeSheet();
    };
    window.addEventListener("keydown", escape, { capture: true });
    return () => {
      seen.disconnect();
      window.removeEventListener("keydown", escape, { capture: true });
    };
  }, [isOpen]);
  return h("button", {
    type: "button", className: "icon-button sheet-button", "data-testid": "sessions", "aria-label": words().sessions,
    title: words().sessions, "aria-expanded": isOpen,
    onClick: () => (isOpen ? closeSheet() : document.documentElement.setAttribute(SHEET, "")),
  }, LINES);
}

/** What lies beside the open sheet; a tap there closes it. */
export function SheetBackdrop() {
  return h("div", { className: "sheet-backdrop", onClick: closeSheet, "aria-hidden": true });
}

function closeSheet() {
  document.documentElement.removeAttribute(SHEET);
}

function Title({ id, title, onDone, onRename }) {
  const box = useRef(null);
  useEffect(() => box.current.select(), []);
  const done = (keep) => {
    const wanted = box.current.value.trim();
    const tell = (key) => onRename(id, wanted, key);
    const stays = keep && wanted && wanted !== title && !wishes.send("rename", id, words().renameTip, tell);
    if (!stays) onDone();
  };
  return h("input", {
    ref: box, className: "session-title", "data-testid": "session-title", "aria-label": words().title,
    defaultValue: title, maxLength: 200, autoFocus: true,
    onBlur: () => done(true),
    onKeyDown: (event) => {
      if (event.nativeEvent.isComposing) return;
      if (event.key === "Enter") done(true);
      if (event.key === "Escape") {
        event.stopPropagation();
        done(false);
      }
    },
  });
}

/** The sessions whose deletion can be taken back, each once it is gone from the list; kept over a reload. */
function useDeleted(rows) {
  const [pressed, setPressed] = useState([]);
  useEffect(() => setPressed(readDeleted()), []);
  const keep = (change) => setPressed((before) => {
    const after = change(before).filter(({ until }) => until > Date.now());
    writeDeleted(after);
    return after;
  });
  const first = Math.min(...pressed.map(({ until }) => until));
  useEffect(() => {
    if (first === Infinity) return undefined;
    const timer = setTimeout(keep, Math.max(first - Date.now(), 0) + 50, (before) => before);
    return () => clearTimeout(timer);
  }, [first]);
  const press = (session) => keep((before) => [
    ...before.filter(({ id }) => id !== session.id),
    { ...session, until: Date.now() + UNDO_MS },
  ]);
  return [pressed.filter(({ id }) => !rows.some((row) => row.id === id)), press];
}

function readDeleted() {
  try {
    return JSON.parse(sessionStorage.getItem(DELETED)).filter(({ id, title }) => id && title);
  } catch {
    return [];
  }
}

function writeDeleted(deleted) {
  try {
    sessionStorage.setItem(DELETED, JSON.stringify(deleted));
  } catch {
    // Without storage a reload takes the way back along.
  }
}

const PENCIL = icon(h("path", { d: "M17 3a2.8 2.8 0 1 1 4 4L7.5 20.5 2 22l1.5-5.5Z" }));
const BIN = icon(h("path", { d: "M3 6h18M8 6V4h8v2M6 6l1 15h10l1-15M10 11v6M14 11v6" }));
const LINES = icon(h("path", { d: "M4 6h16M4 12h16M4 18h16" }));

function icon(drawing) {
  return h("svg", { className: "cp-icon", viewBox: "0 0 24 24", "aria-hidden": true }, drawing);
}
