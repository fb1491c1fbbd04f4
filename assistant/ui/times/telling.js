/** Times as a person tells them, in the language and the zone of the reader. */

import { locale, wordsOf } from "../words/tables.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** What the clock of a browser may be behind the server's and go unnoticed. */
const SKEW = 2 * MINUTE;

const makers = new Map();

/**
 * How long ago, or `isToCome` in how long: "just now", "5 minutes ago", "yesterday", and of what is a week away its
 * date. A past that is yet to come says nothing of the past but that a clock is wrong: it is told by its date, too.
 */
export function relative(iso, now, { isToCome = false, style = "long" } = {}) {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return "";
  const away = at - now;
  const size = Math.abs(away);
  if (!isToCome && away > SKEW) return date(at, now);
  if (!isToCome && away > -MINUTE) return wordsOf("time")().now;
  const say = make("RelativeTimeFormat", { numeric: "auto", style });
  if (size < MINUTE) return say.format(Math.max(Math.round(away / 1000), 0), "second");
  if (size < HOUR) return say.format(Math.trunc(away / MINUTE), "minute");
  const days = Math.round((midnight(at) - midnight(now)) / DAY);
  if (days === 0 || isToCome && size < DAY) return say.format(Math.trunc(away / HOUR), "hour");
  return Math.abs(days) < 7 ? say.format(days, "day") : date(at, now);
}

/** Day, time and zone, in full. */
export function exact(iso) {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? "" : make("DateTimeFormat", { dateStyle: "full", timeStyle: "long" }).format(at);
}

/** The time between: `4 s`, `1 min 04 s`; never less than none. */
export function elapsed(iso, now) {
  const words = wordsOf("calls")();
  const seconds = Math.max(0, Math.floor((now - Date.parse(iso || 0)) / 1000)) || 0;
  const rest = seconds % 60;
  if (seconds < 60) return words.seconds({ seconds: String(rest) });
  return words.minutes({ minutes: String((seconds - rest) / 60), seconds: String(rest).padStart(2, "0") });
}

function date(at, now) {
  const year = new Date(at).getFullYear() === new Date(now).getFullYear() ? {} : { year: "numeric" };
  return make("DateTimeFormat", { day: "numeric", month: "short", ...year }).format(at);
}

function midnight(at) {
  return new Date(at).setHours(0, 0, 0, 0);
}

/** They cost more to make than to use. */
function make(kind, options) {
  const name = `${kind} ${locale()} ${JSON.stringify(options)}`;
  if (!makers.has(name)) makers.set(name, new Intl[kind](locale(), options));
  return makers.get(name);
}
