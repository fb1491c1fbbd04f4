/**
 * The import of a file: sent once, under a key, and carried out once or clearly not.
 *
 *     begin ──▶ sending ──all sent──▶ building ──made──▶ (opened)
 *                 │                      └──refused──▶ (said why)
 *                 └──cancelled, the line broke, the page was left──▶ withdrawn: nothing was imported
 *
 * What is under way is kept by the tab, sessionStorage `importing`: `{key, name, sent, document}`. A page that was left
 * while the server had the whole file finds out what came of it; a file that had not arrived is withdrawn and said so.
 * `document` is the one that is at it, "" once that was left: a tab that began as a copy of another leaves alone what
 * is the other's. What could not be withdrawn, since the server was away, is withdrawn before the next import.
 */

import { newKey } from "../composer/request_key.js";
import { signal } from "../composer/signal.js";
import { call, origin } from "../devices/server.js";
import { documentName } from "../shown/this_document.js";

export const MOST_BYTES = 16 * 2 ** 20;

const KEPT = "importing";
const IMPORT = "/api/sessions/import";
const ASK_MS = 1000;
/** The server reads the largest file in some seconds. */
const MOST_ASKED = 60;

const NOTHING = Object.freeze({ state: "rest" });
const { listen, changed } = signal();
let now = NOTHING;
let request = null;
/** What this document has under way, or could not withdraw; also where the browser keeps nothing. */
let held = null;
/** What an earlier document left is being withdrawn: that is said before anything else is begun. */
let isSettling = false;
/** Rises with each thing that is begun or cancelled: what waits for the server then goes no further. */
let turn = 0;
let opened = () => {};

export { listen };

/** `{state, name, percent, fate, more, refused}`: at rest, sending, building or over; and a file not taken beside it. */
export function current() {
  return now;
}

/** Who is told of the session that was made; the newest counts. */
export function openBy(tell) {
  opened = tell;
}

/** Whether one is at work: there is no other beside it. */
export function isUnderWay() {
  return isSettling || now.state === "sending" || now.state === "building";
}

/** Import a file that the user chose; refused in words while another is under way, which goes on. */
export async function begin(file) {
  const { name } = file;
  if (isUnderWay()) {
    say({ ...now, refused: name });
    return;
  }
  say(NOTHING);
  const mine = (turn += 1);
  if (file.size > MOST_BYTES) {
    over(name, "tooLarge");
    return;
  }
  say({ state: "sending", name, percent: 0 });
  if (held && !(await isWithdrawn(held, name))) return;
  if (turn === mine) send(newKey(), file);
}

function send(key, file) {
  const { name } = file;
  keep({ key, name, sent: false });
  request = new XMLHttpRequest();
  request.open("POST", new URL(IMPORT, origin()));
  request.withCredentials = true;
  request.setRequestHeader("Content-Type", "application/json");
  request.setRequestHeader("Idempotency-Key", key);
  request.upload.onprogress = ({ loaded, total }) => say({ state: "sending", name, percent: total ? loaded / total : 0 });
  request.upload.onload = () => {
    keep({ key, name, sent: true });
    say({ state: "building", name });
  };
  request.onload = ({ target }) => answered(name, target.status, parsed(target.responseText));
  request.onerror = () => withdraw({ key, name }, "unreachable");
  request.send(file);
}

/** Take it back; what the server has already made is opened all the same. */
export function cancel() {
  turn += 1;
  request?.abort();
  if (held) withdraw(held, "cancelled");
}

/** What was said was read. */
export function close() {
  say(NOTHING);
}

/** Find out what became of an import that an earlier document of this tab began. */
export function resume() {
  const kept = read();
  if (!kept || now !== NOTHING) return;
  if (kept.document && kept.document !== documentName) {
    store(null);
    return;
  }
  keep(kept);
  turn += 1;
  if (kept.sent) ask(kept, turn, MOST_ASKED);
  else {
    isSettling = true;
    changed();
    withdraw(kept, "cutOff").finally(() => {
      isSettling = false;
      changed();
    });
  }
}

async function ask(kept, mine, left) {
  if (turn !== mine) return;
  say({ state: "building", name: kept.name });
  const path = `/api/requests/${kept.key}`;
  const { state, result } = await call("GET", path).catch(({ code }) => ({ state: code }));
  if (turn !== mine) return;
  if (state === "accepted") made(kept.name, result.session_id);
  else if (left > 0 && state !== "withdrawn") setTimeout(ask, ASK_MS, kept, mine, left - 1);
  else withdraw(kept, "cutOff");
}

async function withdraw(what, fate) {
  if (!(await isWithdrawn(what, what.name))) return;
  if (fate === "unreachable") over(what.name, "failed", { code: fate });
  else over(what.name, fate);
}

/**
 * So that it cannot arrive late. Where it was made, that is opened; where the server cannot be asked, it is said of
 * the file of this name, and the next import or document asks again.
 */
async function isWithdrawn({ key, name }, asked) {
  try {
    await call("DELETE", `/api/requests/${key}`);
  } catch ({ code, told }) {
    if (code === "request_accepted") made(name, told.result.session_id);
    else over(asked, "failed", { code });
    return false;
  }
  keep(null);
  return true;
}

function answered(name, status, told) {
  if (status === 201) return made(name, told.id);
  if (status === 413) return end(name, "tooLarge");
  const place = told.errors?.[0]?.field;
  if (told.code === "invalid_input") return end(name, place ? "notOursAt" : "notOurs", { place });
  return end(name, "failed", { code: told.code ?? "unknown" });
}

function made(name, session) {
  end(name, "done");
  opened(session);
}

function end(name, fate, more) {
  keep(null);
  over(name, fate, more);
}

function over(name, fate, more = {}) {
  request = null;
  say({ state: "over", name, fate, more });
}

/** What was said of a file that was not taken stands until it is read. */
function say(news) {
  now = news !== NOTHING && now.refused ? { refused: now.refused, ...news } : news;
  changed();
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function keep(what) {
  held = what;
  store(what && { ...what, document: documentName });
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

function store(what) {
  try {
    if (what) sessionStorage.setItem(KEPT, JSON.stringify(what));
    else sessionStorage.removeItem(KEPT);
  } catch {
    // Without storage a reload does not know of it.
  }
}

/** The next document of this tab goes on with it. */
function leave() {
  if (held && read()?.key === held.key) store({ ...held, document: "" });
}

if (typeof window !== "undefined") window.addEventListener("pagehide", leave);
