/**
 * The words of the page, in the language in which it is read: the tables are `en.json` and `zh.json`.
 *
 *     {name}                          is filled in
 *     {"one": ..., "other": ...}      is chosen by `count`, as the language counts
 *
 * Which language it is says `<html lang>`, which is set before anything is drawn (`assets/language.js`). A document is
 * built in English, so one that comes alive is English until `WordsKeeper` has taken over.
 */

import { signal } from "../composer/signal.js";
import en from "./en.json";
import zh from "./zh.json";

/** What `<html lang>` says. */
export const NAMES = { en: "en", zh: "zh-CN" };
/** Of `<html>`, while a document that is built in English is to be read in another language, seen or not. */
export const WORDING = "data-wording";

/** As the server says it (`services/device_naming.py`). */
const UNKNOWN_DEVICE = "another device";
const TABLES = { en: read(en, "en"), zh: read(zh, "zh-CN") };
const { listen, changed } = signal();
let current = begun();

/** How to hear that the language is another one. */
export { listen };

/** "en" or "zh". */
export function language() {
  return current;
}

/** Say everything in this language from now on. */
export function become(chosen) {
  document.documentElement.lang = NAMES[chosen];
  if (chosen === current) return;
  current = chosen;
  changed();
}

/** All the words of a language; one that is filled in is a function of `{name: value}`. */
export function tableOf(name) {
  return TABLES[name];
}

/** The words of one part of the page, by name. */
export function wordsOf(part) {
  return () => TABLES[current][part];
}

/** The words at a place such as "message.retry"; what is no place is said as it is. */
export function wordAt(place) {
  const found = place.split(".").reduce((table, name) => table?.[name], TABLES[current]);
  return typeof found === "string" ? found : place;
}

/** In what language dates and numbers are written: the reader's own kind of it. */
export function locale() {
  if (current !== "en" || typeof navigator === "undefined") return NAMES[current];
  return (navigator.languages ?? []).find((name) => /^en(-|$)/i.test(name)) ?? NAMES.en;
}

/** What became of something, as the server tells it: `{code, ...}` with what the words are filled in with. */
export function said(told) {
  const { refusals, rules, decided } = TABLES[current];
  const { code, rule, decision, decided_on: device, ...more } = told ?? {};
  if (!code) return "";
  if (code === "already_decided" && decision in decided) return doneOn("decided", decision, device);
  return filled(own(rules, rule) ?? own(refusals, code) ?? refusals.unknown, more);
}

/** Why an answer failed: in words for its code, with what the provider itself `quoted`. */
export function failed(code, quoted) {
  const { failures } = TABLES[current];
  return [own(failures, code) ?? failures.unknown, quoted && `“${quoted}”`].filter(Boolean).join(" ");
}

/** What was done on a device: the words `name` of a part of the tables, or `nameOn` where it is known on which. */
export function doneOn(part, name, device, given = {}) {
  const words = TABLES[current][part];
  if (!device || device === UNKNOWN_DEVICE) return filled(words[name], given);
  return words[`${name}On`]({ ...given, device: deviceName(device) });
}

/** What a device calls itself, `Firefox on Android`, in the language of the page. */
function deviceName(told) {
  const [browser, system] = told.split(" on ");
  return system ? TABLES[current].calls.device({ browser, system }) : told;
}

/** A document that is still as it was built is English. */
function begun() {
  if (typeof document === "undefined") return "en";
  const root = document.documentElement;
  return root.lang.startsWith("zh") && !root.hasAttribute(WORDING) ? "zh" : "en";
}

function read(table, name) {
  const whole = {};
  for (const [key, value] of Object.entries(table)) {
    if (typeof value === "string") whole[key] = value.includes("{") ? (given) => filled(value, given) : value;
    else if ("other" in value) whole[key] = counted(value, name);
    else whole[key] = read(value, name);
  }
  return whole;
}

function counted(forms, name) {
  const rules = new Intl.PluralRules(name);
  return (given) => filled(forms[rules.select(given.count)] ?? forms.other, given);
}

/** A text; pieces, where an element is filled in. What is filled in is never read for names. */
function filled(words, given) {
  if (typeof words === "function") return words(given);
  const pieces = words.split(/\{(\w+)\}/).map((piece, at) => (at % 2 ? shown(own(given, piece)) : piece));
  return pieces.some((piece) => typeof piece === "object") ? pieces : pieces.join("");
}

function shown(value) {
  if (typeof value === "number") return new Intl.NumberFormat(locale()).format(value);
  return value ?? "…";
}

function own(table, name) {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
