/**
 * The whole of a message of which a digest is held: in its place, or beside it for who copies or edits it.
 *
 * A message that was opened stays open, as every part of the page that the user unfolded. What could not be had is
 * said by the hint under the composer.
 */

import * as hints from "../composer/hint.js";
import { keepOpen, wasOpen } from "../open_parts/open_parts.js";
import { wordsOf } from "../words/tables.js";
import { listen, view } from "./store.js";

const words = wordsOf("text");

/** Of the part that is kept open, before the id of the message. */
const NAME = "whole:";
const LONGEST_WAIT_MS = 10_000;

const waiting = new Map();
let ask = () => {};

/** How the whole is asked for: by message, and whether it is to be shown. */
export function askWholeBy(tell) {
  ask = tell;
}

/** What a message says, without its reasoning; null when the rest of it could not be had. */
export function said(message) {
  if (!view(message).whole) {
    return view(message).parts.filter(({ kind }) => kind === "text").map(({ text }) => text).join("");
  }
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      sayMissing(message);
      arrived(message, null);
    }, LONGEST_WAIT_MS);
    waiting.set(message, [...(waiting.get(message) ?? []), (text) => (clearTimeout(timer), resolve(text))]);
    ask(message, false);
  });
}

/** The text that was asked for beside the page is here. */
export function arrived(message, text) {
  const told = waiting.get(message) ?? [];
  waiting.delete(message);
  for (const tell of told) tell(text);
}

/** Show the whole in place of the digest; resolves to false when it could not be had. */
export function open(message) {
  keepOpen(NAME + message, true);
  return new Promise((resolve) => {
    const settle = (is) => {
      clearTimeout(timer);
      end();
      resolve(is);
    };
    const timer = setTimeout(() => {
      sayMissing(message);
      settle(false);
    }, LONGEST_WAIT_MS);
    const end = listen(message, () => !view(message).whole && settle(true));
    ask(message, true);
  });
}

/** Whether the user opened it, in this tab. */
export function wasOpened(message) {
  return wasOpen(NAME + message);
}

/** Unless the page shows the message no more. */
function sayMissing(message) {
  if (view(message).whole > 0) hints.say(words().notWhole);
}
