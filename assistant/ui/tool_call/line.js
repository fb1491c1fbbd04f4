/** A call of which nothing is asked: one quiet line that says what it does and how far it is. */

import { Fragment, createElement as h, useEffect, useState } from "react";

import { elapsed } from "../times/telling.js";
import { Moment } from "../times/times.js";
import { Details } from "./details.js";
import { iconOf } from "./icons.js";
import { told } from "./told.js";
import { doneOn, useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("calls");

const TICK_MS = 1000;

export function Line({ call, live }) {
  useLanguage();
  const label = [
    iconOf(call.name),
    h("span", { key: "what", className: "tc-phrase", dir: "auto" }, told(call)),
    h("span", { key: "fate", className: "tc-fate", "data-testid": "tool-fate" },
      call.state === "executing" && live && call.started_at ? h(Ticking, { since: call.started_at }) : fateOf(call)),
  ];
  // What it was given is the owner's own: there is nothing to unfold.
  if (call.arguments === undefined) return h("div", { className: "tc-summary tc-plain" }, label);
  return h(Details, { call, label });
}

function fateOf({ state, reason, decision, decided_at: at, decided_on: device, marked, waits }) {
  if (waits) return words().waitsForOwner;
  const time = at && h(Moment, { key: "time", at });
  if (marked) return words().marked({ time });
  const decided = decision && at && doneOn("calls", decision === "approve" ? "approved" : "denied", device, { time });
  if (reason === "denied") return decided || words().reasons.denied;
  const fate = words().reasons[reason] ?? words().states[state];
  return decided ? h(Fragment, null, decided, ` · ${fate}`) : fate;
}

/** Seconds since a call began; a clock that is behind the server's shows none. */
function Ticking({ since }) {
  useLanguage();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return h("span", { className: "tc-elapsed", "data-testid": "tool-elapsed" }, elapsed(since, now));
}
