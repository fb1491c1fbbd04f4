/**
 * The list of sessions: open one, give it another title, put it away, delete it and take that back.
 *
 * On a phone it is a sheet that `SheetButton` opens; a choice, Escape and a tap beside it close it.
 */

import { Fragment, createElement as h, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

import * as hints from "../composer/hint.js";
import { exact } from "../times/telling.js";
import { Moment } from "../times/times.js";
import { WishButton } from "../wish/wish.js";
import * as wishes from "../wish/wishes.js";
import { useLanguage, wordAt, wordsOf } from "../words/words.js";

const words = wordsOf("list");

const SHEET = "data-sheet";
const UNDO_MS = 30_000;
const DELETED = "deleted";
const LISTED = "listed";
const MORE = 50;

/** `carries` says whether what is asked for now reaches the server; nothing happens later by itself. */
export function SessionList({ rows, hasMore, sid, carries, onOpen, onRename, onArchive, onRestore, onDelete, onUndo, onWant }) {
  useLanguage();
  const [renaming, setRenaming] = useState("");
  const [wanted, want] = useWanted(onWant);
  const [deleted, noteDeleted] = useDeleted(rows);
  const endRenaming = (id, byKey) => {
    flushSync(() => setRenaming(""));
    if (byKey) linkOf(id)?.focus();
  };
  const open = (event, session) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    closeSheet();
    if (!carries) hints.say(words().offline);
    else if (session !== sid) onOpen(session);
  };
  const today = useToday();
  const isArchive = wanted.archived;
  const put = isArchive
    ? { kind: "restore", name: "unarchive", label: "list.unarchive", says: words().unarchiveTitle, sign: UNBOX, tell: onRestore }
    : { kind: "archive", name: "archive", label: "list.archive", says: words().archiveTitle, sign: BOX, tell: onArchive };
  const dayAt = (place) => dayOf(rows[place]?.at, today);
  return h("ul", { className: "sessions" },
    isArchive && h("li", { className: "session-day", "data-testid": "archive-head" }, words().archived),
    rows.map(({ id, title, mark, at }, place) => h(Fragment, { key: id },
      !isArchive && dayAt(place) !== dayAt(place - 1) &&
        h("li", { className: "session-day" }, words().days[dayAt(place)] ?? ""),
      h("li", { className: "session-row" },
      mark && renaming !== id && h("span", { className: "session-mark", "data-testid": "session-mark", "data-mark": mark, role: "img",
                                            "aria-label": words().marks[mark], title: words().marks[mark] }),
      renaming === id
        ? h(Title, { id, title, onDone: (byKey) => endRenaming(id, byKey), onRename })
        : h("a", {
            href: `/?sid=${id}`,
            className: id === sid ? "session session-shown" : "session",
            "data-testid": "session-item",
            "data-session-id": id,
            "aria-current": id === sid ? "page" : "false",
            title: `${title}\n${exact(at)}`.trim(),
            onClick: (event) => open(event, id),
          }, title),
      at && renaming !== id && h(Moment, { at, isShort: true, className: "session-time" }),
      renaming !== id && h("span", { className: "session-tools" },
        h("button", { type: "button", className: "icon-button", "data-testid": "rename", "aria-label": words().rename({ title }),
                      title: words().renameTip, onClick: () => setRenaming(id) }, PENCIL),
        h(WishButton, { kind: put.kind, about: id, name: put.name, label: put.label, title: put.says({ title }), className: "icon-button",
                        onPress: (key) => {
                          focusBeside(id);
                          put.tell(id, key);
                        } }, put.sign),
        h(WishButton, { kind: "delete", about: id, name: "delete", label: "list.remove", title: words().removeTitle({ title }),
                        className: "icon-button",
                        onPress: (key) => {
                          focusBeside(id);
                          noteDeleted({ id, title });
                          onDelete(id, key);
                        } }, BIN))))),
    hasMore && h("li", null, h("button", { type: "button", className: "session-more", "data-testid": "more-sessions",
                                           onClick: () => want({ ...wanted, many: rows.length + MORE }) }, words().more)),
    h("li", null, h("button", { type: "button", className: "session-more", "data-testid": "toggle-archive",
                                onClick: () => want({ many: MORE, archived: !isArchive }) },
                    isArchive ? words().showActive : words().showArchived)),
    // Over the end of the list, so that nothing moves under the hand.
    h("li", { className: "session-deleted" }, deleted.map(({ id, title }) => h("div", { key: id, role: "status" },
      h("span", null, words().deleted({ title })),
      h(WishButton, { kind: "undo_delete", about: id, name: "undo-delete", label: "list.undo",
                      onPress: (key) => onUndo(id, key) })))));
}

/** Leaves the session for a new one; `onNew` is told only when that happens now. */
export function NewSessionButton({ carries, onNew }) {
  useLanguage();
  const leave = () => {
    closeSheet();
    if (carries) onNew();
    else hints.say(words().offline);
  };
  const now = useRef(leave);
  now.current = leave;
  useEffect(() => {
    const pressed = (event) => {
      const isMeant = (event.ctrlKey || event.metaKey) && event.shiftKey && !event.altKey && !event.repeat;
      if (!isMeant || event.key.toLowerCase() !== "o") return;
      event.preventDefault();
      now.current();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
  return h("button", {
    type: "button", className: "quiet new-session", "data-testid": "new-session", title: wordAt("page.newKeys"),
    onClick: leave,
  }, wordAt("page.new"));
}

/** Opens the list where there is no room for it beside the thread. */
export function SheetButton() {
  useLanguage();
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

function linkOf(id) {
  return document.querySelector(`[data-testid=session-item][data-session-id="${CSS.escape(id)}"]`);
}

/** The keyboard that deletes a session goes on with the one after it, or before it at the end of the list. */
function focusBeside(id) {
  const links = [...document.querySelectorAll("[data-testid=session-item]")];
  const place = links.indexOf(linkOf(id));
  if (document.activeElement?.matches(":focus-visible")) (links[place + 1] ?? links[place - 1])?.focus();
}

function Title({ id, title, onDone, onRename }) {
  useLanguage();
  const box = useRef(null);
  useEffect(() => box.current.select(), []);
  const done = (keep, byKey = false) => {
    const wanted = box.current.value.trim();
    const tell = (key) => onRename(id, wanted, key);
    const stays = keep && wanted && wanted !== title && !wishes.send("rename", id, "list.renameTip", tell);
    if (!stays) onDone(byKey);
  };
  return h("input", {
    ref: box, className: "session-title", "data-testid": "session-title", "aria-label": words().title,
    defaultValue: title, maxLength: 200, autoFocus: true,
    onBlur: () => done(true),
    onKeyDown: (event) => {
      if (event.nativeEvent.isComposing) return;
      if (event.key === "Enter") done(true, true);
      if (event.key === "Escape") {
        event.stopPropagation();
        done(false, true);
      }
    },
  });
}

/** How much of the list this tab wants to see, as `listed` in sessionStorage says it to the server too. */
function useWanted(tell) {
  const [wanted, setWanted] = useState({ many: MORE, archived: false });
  useEffect(() => setWanted(readWanted()), []);
  const want = (next) => {
    setWanted(next);
    const said = `${next.many}${next.archived ? " archived" : ""}`;
    try {
      sessionStorage.setItem(LISTED, said);
    } catch {
      // A reload shows the first page.
    }
    tell(said);
  };
  return [wanted, want];
}

function readWanted() {
  try {
    const [many, kind] = (sessionStorage.getItem(LISTED) ?? "").split(" ");
    return { many: Number(many) || MORE, archived: kind === "archived" };
  } catch {
    return { many: MORE, archived: false };
  }
}

/** The day that it is here, looked at again now and then. */
function useToday() {
  const [today, setToday] = useState(midnight);
  useEffect(() => {
    const timer = setInterval(() => setToday(midnight), 60_000);
    return () => clearInterval(timer);
  }, []);
  return today;
}

function midnight() {
  return new Date().setHours(0, 0, 0, 0);
}

/** today, yesterday, week or older; "" without a time. */
function dayOf(at, today) {
  if (!at) return "";
  const days = Math.round((today - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days <= 0) return "today";
  if (days === 1) return "yesterday";
  return days < 8 ? "week" : "older";
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
const BOX = icon(h("path", { d: "M3 4h18v4H3zM5 8v12h14V8M10 12h4" }));
const UNBOX = icon(h("path", { d: "M3 4h18v4H3zM5 8v12h14V8M12 18v-6M9.5 14l2.5-2.5 2.5 2.5" }));
const LINES = icon(h("path", { d: "M4 6h16M4 12h16M4 18h16" }));

function icon(drawing) {
  return h("svg", { className: "cp-icon", viewBox: "0 0 24 24", "aria-hidden": true }, drawing);
}
