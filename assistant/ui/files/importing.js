/**
 * The import of a file: sent once, under a key, and carried out once or clearly not.
 *
 *     begin ──▶ sending ──all sent──▶ building ──made──▶ (opened)
 *                 │                      └──refused──▶ (said why)
 *                 └──cancelled, the line broke, the page was left──▶ withdrawn: nothing was imported
 *
 * What is under way is kept by the tab, sessionStorage `importing`: `{key, name, sent}`. A page that was left while the
 * server had the whole file finds out what came of it; a file that had not arrived is withdrawn and said so.
 */

import { newKey } from "../composer/request_key.js";
import { signal } from "../composer/signal.js";
import { call, origin } from "../devices/server.js";

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
let opened = () => {};

export { listen };

/** `{state, name, percent, fate, more}`: at rest, sending, building or over. */
export function current() {
  return now;
}

/** Who is told of the session that was made; the newest counts. */
export function openBy(tell) {
  opened = tell;
}

/** Import a file that the user chose. */
export function begin(file) {
  const { name } = file;
  if (file.size > MOST_BYTES) return end(name, "tooLarge");
  const key = newKey();
  keep({ key, name, sent: false });
  say({ state: "sending", name, percent: 0 });
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
  request.onerror = () => withdraw(key, name, "unreachable");
  request.send(file);
  return undefined;
}

/** Take it back; what the server has already made is opened all the same. */
export function cancel() {
  const kept = read();
  request?.abort();
  if (kept) withdraw(kept.key, kept.name, "cancelled");
}

/** What was said was read. */
export function close() {
  say(NOTHING);
}

/** Find out what became of an import that an earlier document of this tab began. */
export function resume() {
  const kept = read();
  if (!kept || now !== NOTHING) return;
  if (kept.sent) ask(kept, MOST_ASKED);
  else withdraw(kept.key, kept.name, "cutOff");
}

async function ask(kept, left) {
  say({ state: "building", name: kept.name });
  const path = `/api/requests/${kept.key}`;
  const { state, result } = await call("GET", path).catch(({ code }) => ({ state: code }));
  if (read()?.key !== kept.key) return;
  if (state === "accepted") made(kept.name, result.session_id);
  else if (left > 0) setTimeout(ask, ASK_MS, kept, left - 1);
  else withdraw(kept.key, kept.name, "cutOff");
}

/** So that it cannot arrive late. Where the server cannot be asked, the next document asks it. */
async function withdraw(key, name, fate) {
  try {
    await call("DELETE", `/api/requests/${key}`);
  } catch ({ code, told }) {
    if (code === "request_accepted") return made(name, told.result.session_id);
    return over(name, "failed", { code });
  }
  if (fate === "unreachable") return end(name, "failed", { code: fate });
  return end(name, fate);
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

function say(news) {
  now = news;
  changed();
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

function keep(what) {
  try {
    if (what) sessionStorage.setItem(KEPT, JSON.stringify(what));
    else sessionStorage.removeItem(KEPT);
  } catch {
    // Without storage a reload does not know of it.
  }
}
