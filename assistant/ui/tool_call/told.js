/** What a call does, in plain words: by the names of the tools in the tables. */

import { membersOf, textOf, visible } from "./arguments.js";
import { wordsOf } from "../words/tables.js";

const words = wordsOf("calls");

const MOST_CHARACTERS = 300;

/**
 * One line: what the call does, with the gist of its arguments; an unknown tool's name and arguments. Of a call
 * without arguments, which are the owner's own (`states/shared.py`), what the tool does.
 */
export function told({ name, arguments: json }) {
  const { plain, told: phrases } = words();
  if (json === undefined) return Object.hasOwn(plain, name) ? plain[name] : oneLine(name);
  const members = membersOf(json);
  const phrase = Object.hasOwn(phrases, name) ? phrases[name] : undefined;
  if (!members) return oneLine(`${name} ${json}`);
  if (!phrase) return oneLine([name, ...members.map((each) => `${each.name}: ${textOf(each)}`)].join(" · "));
  if (typeof phrase === "string") return phrase;
  return oneLine(phrase(Object.fromEntries(members.map((each) => [each.name, textOf(each)]))));
}

function oneLine(words) {
  const line = words.replace(/\s+/g, " ").trim();
  return visible(line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line);
}
