/** localStorage as JSON that never throws: full or forbidden, it is said once and stops nothing (Case B172). */

import { say } from "./hint.js";
import { wordsOf } from "../words/tables.js";

const words = wordsOf("composer");

let said = false;

/** What is kept under this name; null when there is nothing or it cannot be read. */
export function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

/** False when the browser does not keep it, which the user is told the first time. */
export function write(name, value) {
  if (writeIfRoom(name, value)) return true;
  if (!said) say(words().storage);
  said = true;
  return false;
}

/** As `write`, for a caller who can make room and try again. */
export function writeIfRoom(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Forget what is kept under this name. */
export function remove(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    // Nothing is kept where nothing may be kept.
  }
}

/** The names that begin like this. */
export function namesOf(prefix) {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}
