/**
 * The arguments of a call, exactly as it is run: a person decides about what is read here.
 *
 * Numbers are shown as they are written, which reading them as JavaScript's would change; characters that
 * cannot be seen, or that turn the direction of what follows, are named.
 */

import { createElement as h, memo } from "react";

import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("calls");

/** What is read first; the rest comes in the order in which it is written, which is that of the names. */
const FIRST = ["to", "subject", "title", "url"];
/**
 * Controls, separators, formats and whatever else is drawn as nothing, in every plane; blanks that pass for a
 * space or a letter. Not the joiners and selectors of an emoji, where they stand in one.
 */
const UNSEEN =
  /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u115f\u1160\u3164\uffa0]/gu;
const PICTURE = "\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?";
const EMOJI = new RegExp(`${PICTURE}(?:\\u200d${PICTURE})*`, "gu");

/** The members `{name, raw}` of a JSON object, in order; null for anything else. */
export function membersOf(json) {
  try {
    const whole = JSON.parse(json);
    if (typeof whole !== "object" || whole === null || Array.isArray(whole)) return null;
  } catch {
    return null;
  }
  const members = [];
  for (const member of split(json.trim().slice(1, -1), ",")) {
    const [name, raw] = split(member, ":", 1);
    if (raw !== undefined) members.push({ name: JSON.parse(name), raw: raw.trim() });
  }
  return members;
}

/** A member's value: a text as it reads, anything else as it is written. */
export function textOf({ raw }) {
  return raw.startsWith('"') ? JSON.parse(raw) : raw;
}

/** All arguments; long ones scroll. */
export const Arguments = memo(function Arguments({ json }) {
  useLanguage();
  const members = membersOf(json);
  if (!members) return h(Value, { name: words().arguments, text: json, isCode: true });
  const rank = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const ordered = members.sort((one, other) => rank(one) - rank(other));
  return h("dl", { className: "tc-arguments" }, ordered.flatMap((member) => [
    h("dt", { key: `${member.name}:name` }, visible(member.name)),
    h("dd", { key: member.name },
      h(Value, { name: member.name, text: textOf(member), isCode: !member.raw.startsWith('"') })),
  ]));
});

/** Plain text, whatever it holds. */
export function Value({ name, text, isCode }) {
  return h("div", {
    className: isCode ? "tc-value tc-code" : "tc-value",
    dir: "auto",
    role: "region",
    "aria-label": name,
    tabIndex: 0,
  }, visible(text));
}

/** The text with what cannot be seen in it named. */
export function visible(text) {
  let shown = "";
  let end = 0;
  for (const { 0: emoji, index } of text.matchAll(EMOJI)) {
    shown += named(text.slice(end, index)) + emoji;
    end = index + emoji.length;
  }
  return shown + named(text.slice(end));
}

function named(text) {
  return text.replace(UNSEEN, (one) => `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** The pieces of JSON text between separators that are in no string and no nesting; `most` cuts at most. */
function split(json, separator, most = Infinity) {
  const pieces = [];
  let begin = 0;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const one = json[at];
    if (inText) {
      if (one === "\\") at += 1;
      else if (one === '"') inText = false;
    } else if (one === '"') inText = true;
    else if (one === "{" || one === "[") depth += 1;
    else if (one === "}" || one === "]") depth -= 1;
    else if (one === separator && depth === 0 && pieces.length < most) {
      pieces.push(json.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...pieces, json.slice(begin)];
}
