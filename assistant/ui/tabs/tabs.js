/**
 * One tab of a browser leads on a session and passes on the text that the server brings it; the others mirror it
 * (`moves.js`). Rows come to each by its own follow.
 *
 * What goes over the channel `follow:<session>`; every message names the session and the tab that it is from:
 *
 *     {beat: places, hidden}      of the leader: each second, and when anything of it changes
 *     {chunks}                    of the leader: as it took them, or what one tab (`to`) asked for
 *     {ask: places, all}          of a mirror: where it stands; `all` wants the answers that it does not name, too
 *
 * A leader that goes gives its lock back, and one that died loses it: the next in the queue has it at once. A
 * leader that is silent for `SILENT_MS`, one asked and no answer, is robbed of it, and so is a hidden one by a tab
 * that is seen. Whoever begins to lead is brought what it lacks beyond what it holds, and the leader before it
 * takes text until it hears of the new one, so nothing falls between the two. What both bring is the same.
 */

import { useEffect, useLayoutEffect } from "react";

import { documentName } from "../shown/this_document.js";
import { lacks, unfinished } from "../stream_text/store.js";
import { askBy, askServer, deliver, listenToNews } from "../stream_text/stream_text.js";
import * as lock from "./lock.js";
import { MOVES } from "./moves.js";
import { haveOfUnfinished, isBehind, isNews, placeIn, places, restAfter } from "./texts.js";

const BEAT_MS = 1000;
const TICK_MS = 250;
const ASK_AFTER_MS = 1500;
const SILENT_MS = 2500;
/** Timers of a hidden tab may be a minute late: only a leader that was asked and did not answer is silent. */
const ANSWER_MS = 500;

let state = "away";
let sid = "";
let wanted = "";
let asleep = false;
let channel = null;
let timer;
let heardAt = 0;
let askedAt = 0;
/** What the server does on this connection: it brings text until it is told otherwise. */
let carries = true;
let tell = () => {};

/** Leads or mirrors the session `sid` while the page is `ready` and its link is "open"; tells by `onLead`. */
export function TabsKeeper({ sid: session, ready, link, onLead }) {
  useLayoutEffect(() => {
    tell = onLead;
  });
  useLayoutEffect(() => {
    if (link !== "open") {
      wanted = "";
      settle();
      carries = true;
    } else if (ready) {
      wanted = session;
      settle();
    }
  }, [session, ready, link]);
  useEffect(watch, []);
  return null;
}

function settle() {
  const next = asleep ? "" : wanted;
  if (next === sid) return;
  happened("left");
  sid = next;
  if (sid) happened(lock.isAble() ? "stood" : "stood_alone");
}

function happened(event) {
  const next = MOVES[state][event];
  if (next === undefined) return;
  state = next;
  document.documentElement.dataset.tab = state;
  clearInterval(timer);
  BEGIN[state]();
}

const BEGIN = {
  away() {
    lock.letGo();
    channel?.close();
    channel = null;
  },
  asking() {
    if (!channel) {
      channel = new BroadcastChannel(lockName());
      channel.onmessage = ({ data }) => take(data);
    }
    carry(true);
    lock.queue(lockName(), happened);
    heardAt = now();
    ask(places(), true);
    timer = setInterval(tick, TICK_MS);
  },
  leading() {
    beat();
    carry(true);
    timer = setInterval(beat, BEAT_MS);
  },
  mirroring() {
    carry(false);
    timer = setInterval(tick, TICK_MS);
  },
  alone() {
    carry(true);
  },
};

function lockName() {
  return `follow:${sid}`;
}

/** The server is told only what it does not do already. */
function carry(leads) {
  if (carries === leads) return;
  carries = leads;
  tell(sid, leads, leads ? haveOfUnfinished() : "");
}

function isFollower() {
  return state === "asking" || state === "mirroring";
}

function tick() {
  const silent = now() - heardAt;
  if (silent > SILENT_MS && askedAt > heardAt && now() - askedAt >= ANSWER_MS) takeLead();
  else if (silent > ASK_AFTER_MS && askedAt <= heardAt) ask(places(), true);
}

function takeLead() {
  heardAt = now();
  lock.take(lockName(), happened);
}

function beat() {
  post({ beat: places(), hidden: isHidden() });
}

function ask(from, all) {
  askedAt = Math.max(now(), heardAt + 1);
  post({ ask: from, all });
}

function post(message) {
  channel?.postMessage({ ...message, sid, from: documentName });
}

function take(message) {
  if (message.sid !== sid || !isShown() || (message.to && message.to !== documentName)) return;
  if (message.ask) {
    if (state === "leading") answer(message);
    return;
  }
  if (!isFollower()) return;
  heardAt = now();
  if (message.chunks) deliver(message.chunks.filter(isNews));
  if (message.beat) hear(message);
}

function hear({ beat: standing, hidden }) {
  happened("heard");
  const behind = standing.filter(isBehind);
  if (behind.length > 0) ask(behind.map(([message]) => placeIn(message)), false);
  if (hidden && !isHidden()) takeLead();
}

function answer({ from, ask: standing, all }) {
  const named = new Set(standing.map(([message]) => message));
  const others = all ? unfinished().filter(([message]) => !named.has(message)) : [];
  const chunks = [...standing, ...others.map(([message]) => [message, "", 0, 0, 0])].flatMap(restAfter);
  if (chunks.length > 0) post({ to: from, chunks });
  // Without places: an answer asks for nothing more.
  post({ to: from, beat: [], hidden: isHidden() });
}

/** The URL is ahead of the page when another session is opened. */
function isShown() {
  return new URLSearchParams(window.location.search).get("sid") === sid;
}

function isHidden() {
  return document.visibilityState === "hidden";
}

function watch() {
  const endSpreading = listenToNews((chunks) => {
    if (state === "leading" && isShown()) post({ chunks });
  });
  askBy((place) => {
    if (state !== "mirroring") return false;
    const [message, task] = place;
    ask([place], false);
    setTimeout(() => lacks(message) && askServer(message, task), ANSWER_MS);
    return true;
  });
  const turned = () => {
    if (state === "leading") beat();
    else if (isFollower() && !isHidden()) takeLead();
  };
  const sleep = () => {
    asleep = true;
    settle();
  };
  const wake = () => {
    asleep = false;
    settle();
  };
  document.addEventListener("visibilitychange", turned);
  document.addEventListener("freeze", sleep);
  document.addEventListener("resume", wake);
  window.addEventListener("pagehide", sleep);
  window.addEventListener("pageshow", wake);
  return () => {
    endSpreading();
    askBy(() => false);
    wanted = "";
    settle();
    document.removeEventListener("visibilitychange", turned);
    document.removeEventListener("freeze", sleep);
    document.removeEventListener("resume", wake);
    window.removeEventListener("pagehide", sleep);
    window.removeEventListener("pageshow", wake);
  };
}

function now() {
  return performance.now();
}
