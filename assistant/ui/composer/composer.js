/**
 * What the page imports: `Composer`, one a page, takes what the user types and sends it; `Outbox`, at the
 * end of the thread, shows what was sent and is not yet in the conversation.
 *
 * What the user typed is always in exactly one place: composer, outbox or conversation (I6).
 */

import { createElement as h, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

import * as drafts from "./drafts.js";
import * as hints from "./hint.js";
import { SEND, STOP } from "./icons.js";
import * as outbox from "./outbox.js";
import { sessionOf } from "./page_session.js";
import { newKey } from "./request_key.js";
import { TextBox, composes } from "./text_box.js";
import { words } from "./words.js";

export { Outbox } from "./outbox_items.js";

/** A stop that changed nothing by then was lost on its way. */
const STOP_AGAIN_MS = 8000;

/** The composer with its one round button, Send or Stop, and the small line under it. */
export function Composer({ sid, ready, busyTask, replies, storedDraft, model, hint, canSend = true, ...events }) {
  const box = useRef(null);
  const empty = useSyncExternalStore(drafts.listen, drafts.isEmpty, () => true);
  const { sending } = useSyncExternalStore(outbox.listen, outbox.current, outbox.nothing);
  const ownHint = useSyncExternalStore(hints.listen, hints.current, () => "");
  const [stop, stopping] = useStop(busyTask, ready, events.onStop);
  const send = useSend(busyTask, canSend);

  useLayoutEffect(() => {
    outbox.reachBy({ send: events.onSend, ask: events.onAsk, withdraw: events.onWithdraw });
    drafts.reportBy(events.onDraft);
  });
  useLayoutEffect(outbox.start, []);
  useLayoutEffect(() => outbox.takeReplies(replies ?? []), [replies]);
  useLayoutEffect(() => {
    const shown = sessionOf(sid, ready, outbox.sessionShown());
    outbox.setPage(shown, Boolean(ready), Boolean(canSend && !busyTask));
  }, [sid, ready, canSend, busyTask]);
  useLayoutEffect(() => {
    if (storedDraft) drafts.offer(storedDraft);
  }, [storedDraft]);
  useEffect(() => listenToKeys(box, stop), [stop]);
  useEffect(() => reportWhenLeft(), []);

  return h("div", { className: "cp-dock" },
    h("div", { className: "cp-composer", onMouseDown: (event) => focusFrom(event, box) },
      h(TextBox, { box, onEnter: send }),
      h("div", { className: "cp-bar" },
        model ? h("span", { className: "cp-model", "data-testid": "model", title: words().model }, model) : h("span"),
        busyTask
          ? h(RoundButton, { name: "stop", label: words().stop, tip: words().stopKeys, icon: STOP,
                             disabled: stopping, onPress: stop })
          : h(RoundButton, { name: "send", label: words().send, tip: words().sendKeys, icon: SEND,
                             disabled: empty || sending || !canSend, onPress: send }))),
    h("p", { className: "cp-hint", role: "status", "data-testid": "composer-hint" }, ownHint || hint));
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

function RoundButton({ name, label, tip, icon, disabled, onPress }) {
  return h("button", {
    type: "button",
    key: name,
    className: `cp-round cp-${name}`,
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

function useSend(busyTask, canSend) {
  const now = useRef({});
  now.current = { busyTask, canSend };
  return useCallback(() => {
    if (drafts.isEmpty()) return;
    if (now.current.busyTask) hints.say(words().busy);
    else if (!now.current.canSend) hints.say(words().offline);
    else if (outbox.send()) hints.say("");
  }, []);
}

/** Stop once a task; again when it was lost: the connection came back, or nothing happened for long. */
function useStop(busyTask, ready, onStop) {
  const [asked, setAsked] = useState("");
  const now = useRef({});
  now.current = { busyTask, onStop, locked: now.current.locked ?? "" };

  const unlock = useCallback(() => {
    now.current.locked = "";
    setAsked("");
  }, []);
  useEffect(unlock, [ready, unlock]);
  useEffect(() => {
    if (!asked) return undefined;
    const timer = setTimeout(unlock, STOP_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [asked, unlock]);

  const stop = useCallback(() => {
    const { busyTask: task, locked, onStop: tell } = now.current;
    if (!task || locked === task) return;
    now.current.locked = task;
    setAsked(task);
    tell(task, newKey());
  }, []);
  return [stop, asked !== "" && asked === busyTask];
}

function listenToKeys(box, stop) {
  const press = (event) => {
    if (event.defaultPrevented || event.repeat || composes(event)) return;
    if (event.key === "Escape") stop();
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTypedInto(event.target)) return;
    event.preventDefault();
    box.current.focus();
  };
  window.addEventListener("keydown", press);
  return () => window.removeEventListener("keydown", press);
}

/** The whole card is a place to click for writing. */
function focusFrom(event, box) {
  if (event.target.closest("textarea, button, [data-testid=model]")) return;
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
