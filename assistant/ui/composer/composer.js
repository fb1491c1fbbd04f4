/**
 * What the page imports: `Composer`, one a page, takes what the user types and sends it; `Outbox`, at the
 * end of the thread, shows what was sent and is not yet in the conversation.
 *
 * What the user typed is always in exactly one place: composer, outbox or conversation (I6).
 */

import { createElement as h, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

import * as drafts from "./drafts.js";
import * as editing from "./editing.js";
import * as hints from "./hint.js";
import { textOf, view } from "../stream_text/store.js";
import { said } from "../stream_text/whole.js";
import { PENCIL, SEND, STOP } from "./icons.js";
import * as outbox from "./outbox.js";
import { sessionOf } from "./page_session.js";
import * as wishes from "../wish/wishes.js";
import { keepFocus } from "./focus.js";
import { TextBox, composes } from "./text_box.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("composer");

export { Outbox } from "./outbox_items.js";

const LONGEST = 200_000;
/** A click as soon as this after a send was meant for Send. */
const FRESH_MS = 300;

/** The composer with its one round button, Send or Stop, and the small line under it. */
export function Composer({ sid, ready, busyTask, replies, queued, storedDraft, children, canSend = true, carries = true, ...events }) {
  const spoken = useLanguage();
  const box = useRef(null);
  const empty = useSyncExternalStore(drafts.listen, drafts.isEmpty, () => true);
  const { sending } = useSyncExternalStore(outbox.listen, outbox.current, outbox.nothing);
  const edited = useSyncExternalStore(editing.listen, editing.current, editing.nothing);
  const saving = useSyncExternalStore(wishes.listen, editing.isSaving, () => false);
  const ownHint = useSyncExternalStore(hints.listen, hints.current, () => "");
  const [stop, stopping] = useStop(busyTask, events.onStop);
  const send = useSend(canSend);
  const isFresh = useFresh(sending);
  const isBusy = Boolean(busyTask) || (sending && !isFresh);
  const up = useCallback(() => editLast(box), []);

  useLayoutEffect(() => {
    outbox.reachBy({
      send: events.onSend,
      ask: events.onAsk,
      withdraw: events.onWithdraw,
      rewrite: events.onRewrite,
      stop: (task) => wishes.send("stop", task, "composer.stop", (key) => events.onStop(task, key)),
    });
    // A longer one could not be sent, and the server would close the line on which it came.
    drafts.reportBy((sid, text, version) => text.length <= 2 * LONGEST && events.onDraft(sid, text, version));
  });
  useLayoutEffect(outbox.start, []);
  useLayoutEffect(() => outbox.takeReplies(replies ?? []), [replies]);
  useLayoutEffect(() => {
    const shown = sessionOf(sid, ready, outbox.sessionShown());
    outbox.setPage(shown, { ready: Boolean(ready), takes: Boolean(canSend), carries: Boolean(carries), busy: Boolean(busyTask) });
  }, [sid, ready, canSend, carries, busyTask]);
  useLayoutEffect(() => outbox.setQueue(queued ?? []), [queued]);
  // What a hint spoke of is over, or it speaks another language.
  useLayoutEffect(() => hints.say(""), [Boolean(busyTask), Boolean(canSend), spoken]);
  useLayoutEffect(() => {
    if (storedDraft) drafts.offer(storedDraft);
  }, [storedDraft]);
  useEffect(() => listenToKeys(box, stop), [stop]);
  useEffect(() => reportWhenLeft(), []);
  useEffect(() => keepFocus(box), []);

  return h("div", { className: "cp-dock" },
    h("div", { className: "cp-composer", onMouseDown: (event) => focusFrom(event, box) },
      h(Edited, { ...edited, mayNotSave: empty || saving, saving, onSave: send }),
      h(TextBox, { box, onEnter: send, onUp: up, readOnly: saving }),
      h("div", { className: "cp-bar" },
        children ?? h("span"),
        isBusy
          ? h(RoundButton, { name: "stop", label: words().stop, tip: words().stopKeys, icon: STOP,
                             disabled: stopping || isFresh, isFresh, onPress: stop })
          : h(RoundButton, { name: "send", label: edited.queued ? words().save : words().send,
                             tip: edited.queued ? words().save : words().sendKeys, icon: SEND,
                             disabled: empty || sending || saving || !canSend, onPress: send }))),
    h("p", { className: "cp-hint", role: "status", "data-testid": "composer-hint" }, ownHint));
}

/** Writes another version of a message of the user's, in the composer. */
export function EditButton({ message }) {
  useLanguage();
  return h("button", {
    type: "button", className: "icon-button", "data-testid": "edit", "aria-label": words().edit, title: words().edit,
    onClick: async () => {
      const at = document.activeElement;
      const text = await said(message);
      // Of a digest the rest is waited for: by then another session may be shown, or something else be done.
      const isLeft = document.activeElement !== at && document.activeElement !== document.body;
      if (text === null || view(message).offset === 0 || isLeft) return;
      editing.version(message, text);
      document.querySelector("[data-testid=composer]")?.focus();
    },
  }, PENCIL);
}

/** A button that sends its own text, as if it had been written here; what is being written stays. */
export function Example({ text, about }) {
  return h("button", {
    type: "button",
    className: "example",
    "data-testid": "example",
    onClick: (event) => event.detail <= 1 && outbox.sendText(text),
  },
    h("span", { className: "example-text" }, text),
    h("span", { className: "example-words" }, about));
}

/** What is edited in the composer, or what became of it, over the text. */
function Edited({ message, queued, notice, mayNotSave, saving, onSave }) {
  useLanguage();
  if (notice) return h("div", { className: "cp-editing", role: "status", "data-testid": "edit-notice" }, words()[notice]);
  if (!message && !queued) return null;
  return h("div", { className: "cp-editing", "data-testid": "editing" },
    h("span", null, queued ? words().editingWaiting : words().editing),
    h("span", { className: "cp-choices" },
      h("button", { type: "button", className: "cp-choice", "data-testid": "cancel-editing", disabled: saving,
                    onClick: editing.cancel }, words().cancel),
      queued && h("button", { type: "button", className: "cp-choice cp-choice-send", "data-testid": "save-editing",
                              disabled: mayNotSave, "aria-busy": saving,
                              onClick: (event) => event.detail <= 1 && onSave() }, words().save)));
}

function RoundButton({ name, label, tip, icon, disabled, isFresh, onPress }) {
  return h("button", {
    type: "button",
    key: name,
    // What cannot be pressed for a moment only does not look so.
    className: `cp-round cp-${name}${isFresh ? " cp-fresh" : ""}`,
    "data-testid": name,
    "aria-label": label,
    title: tip,
    disabled,
    // The box keeps the focus, and a phone its keyboard.
    onMouseDown: (event) => event.preventDefault(),
    // Send and Stop take turns in one place: a double click means the first of them alone (Case B100).
    onClick: (event) => event.detail <= 1 && onPress(),
  }, icon);
}

function useSend(canSend) {
  const now = useRef({});
  now.current = { canSend };
  return useCallback(() => {
    if (drafts.isEmpty()) return;
    if (!now.current.canSend) hints.say(words().offline);
    else if (drafts.text().length > LONGEST && [...drafts.text()].length > LONGEST) hints.say(words().tooLong);
    else if (editing.current().queued) outbox.send();
    else hints.say(outbox.send() ? "" : words().busy);
  }, []);
}

/** For a moment after something was sent. */
function useFresh(sending) {
  const [isFresh, setFresh] = useState(false);
  useLayoutEffect(() => {
    if (!sending) return undefined;
    setFresh(true);
    const timer = setTimeout(setFresh, FRESH_MS, false);
    return () => clearTimeout(timer);
  }, [sending]);
  useEffect(() => {
    if (sending || !isFresh) return undefined;
    const timer = setTimeout(setFresh, FRESH_MS, false);
    return () => clearTimeout(timer);
  }, [sending, isFresh]);
  return isFresh;
}

/** Stop ends the answer; before the server has said that there is one, it takes the message back (Case B093). */
function useStop(busyTask, onStop) {
  const now = useRef({});
  now.current = { busyTask, onStop };
  const pending = useSyncExternalStore(wishes.listen, () => wishes.isPending("stop", busyTask), () => false);
  const stop = useCallback(() => {
    const { busyTask: task, onStop: tell } = now.current;
    if (task) wishes.send("stop", task, "composer.stop", (key) => tell(task, key));
    else outbox.stopSending();
  }, []);
  return [stop, pending];
}

function listenToKeys(box, stop) {
  const press = (event) => {
    if (event.defaultPrevented || event.repeat || composes(event)) return;
    if (event.key === "Escape" && editing.isOpen()) editing.cancel();
    else if (event.key === "Escape") stop();
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTypedInto(event.target)) return;
    event.preventDefault();
    box.current.focus();
  };
  window.addEventListener("keydown", press);
  return () => window.removeEventListener("keydown", press);
}

/** Up in an empty composer edits the last message. */
function editLast(box) {
  const { message, queued } = editing.current();
  if (message || queued || outbox.current().sending) return;
  const last = [...document.querySelectorAll("[data-testid=message][data-role=user]")].at(-1)?.dataset.messageId;
  // A digest, and what has others below it, is not the last message.
  if (!last || view(last).whole || document.querySelector("[data-testid=load-newer]")) return;
  editing.version(last, textOf(view(last)));
  const end = box.current.value.length;
  box.current.setSelectionRange(end, end);
}

/** The whole card is a place to click for writing. */
function focusFrom(event, box) {
  if (event.target.closest("textarea, button, [role=dialog]")) return;
  event.preventDefault();
  box.current.focus();
}

function isTypedInto(target) {
  return target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName ?? "");
}

function reportWhenLeft() {
  const hidden = () => document.visibilityState === "hidden" && drafts.reportNow();
  document.addEventListener("visibilitychange", hidden);
  return () => document.removeEventListener("visibilitychange", hidden);
}
