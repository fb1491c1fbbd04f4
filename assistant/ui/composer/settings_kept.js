/**
 * What was set for a session and is not stored at the server: sessionStorage `settings:<sid or new>`, as
 * `{model, parameters}`, of this tab alone. What is set on a new page goes with its first message.
 */

import { signal } from "./signal.js";

export const NEW = "new";

const PREFIX = "settings:";
const { listen, changed } = signal();
/** By place, as JSON; also where the browser keeps nothing. */
const held = new Map();

export { listen };

/** What is kept for a session, or for "new", as JSON, which compares; "" for nothing. */
export function keptFor(place) {
  if (!place) return "";
  if (!held.has(place)) held.set(place, readBack(place));
  return held.get(place);
}

/** Keep it until it is stored, or sent. */
export function keep(place, settings) {
  const json = settings ? JSON.stringify(settings) : "";
  held.set(place, json);
  try {
    if (json) sessionStorage.setItem(PREFIX + place, json);
    else sessionStorage.removeItem(PREFIX + place);
  } catch {
    // A reload will not know it.
  }
  changed();
}

/** It is stored, or not wanted any more. */
export function forget(place) {
  keep(place, null);
}

/** What goes with the first message of a new page, and from then on with that message alone. */
export function takeForFirst() {
  const json = keptFor(NEW);
  if (!json) return undefined;
  forget(NEW);
  return JSON.parse(json);
}

/** Its message comes back into the composer of the new page: so does what was set there, unless more was set since. */
export function giveBack(settings) {
  if (settings && !keptFor(NEW)) keep(NEW, settings);
}

function readBack(place) {
  try {
    return sessionStorage.getItem(PREFIX + place) ?? "";
  } catch {
    return "";
  }
}
