/**
 * The page `/link`: takes a code and says what will happen. Only a click carries it out: opening the page, by a
 * person, a preview or a prefetch, reads and nothing else.
 */

import { createElement as h, useEffect, useLayoutEffect, useRef, useState } from "react";

import { becameAnother } from "./owner_change.js";
import { call } from "./server.js";
import { said, useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("devices");

const USE = "/api/owner/link";
const MOST_CHARACTERS = 40;

export function LinkPage() {
  useLanguage();
  const [code, setCode] = useState("");
  const [own, setOwn] = useState(null);
  const [why, setWhy] = useState(null);
  const [state, setState] = useState("asking");
  const working = useRef(false);

  // Nothing that was kept is drawn here: the page is seen at once.
  useLayoutEffect(() => document.documentElement.removeAttribute("data-painting"), []);

  useEffect(() => {
    setCode(takeFromAddress());
    call("GET", USE).then(
      ({ sessions }) => {
        setOwn(sessions);
        setState("ready");
      },
      (refusal) => {
        setWhy(refusal.told);
        setState(refusal.code === "owner_named" ? "no use" : "ready");
      },
    );
  }, []);

  const use = async (bring) => {
    if (working.current || !code.trim()) return;
    working.current = true;
    setState("working");
    setWhy(null);
    try {
      await call("POST", USE, { code: code.slice(0, MOST_CHARACTERS), ...(bring !== undefined && { bring }) });
      becameAnother({ keepsWritten: bring !== false });
      return;
    } catch (refusal) {
      if (refusal.code === "choice_needed") setOwn(refusal.told.sessions);
      else setWhy(refusal.told);
      setState(refusal.code === "already_linked" ? "no use" : "ready");
    }
    working.current = false;
  };

  const may = state === "ready" && code.trim() !== "";
  // Where nobody could say how many there are, the server asks when the code is used.
  const isPlain = own === 0 || (own === null && state !== "asking");
  const submitted = (event) => {
    event.preventDefault();
    if (may && isPlain) use();
  };
  return h("main", { className: "dv-page" },
    h("form", { className: "dv-card", onSubmit: submitted, "data-testid": "link-form", "data-state": state },
      h("h1", { className: "dv-title" }, words().here),
      h("p", { className: "dv-how" }, words().hereHow),
      h("p", { className: "dv-small" }, words().hereSees),
      state !== "no use" && h("label", { className: "dv-label" }, words().code,
        h("input", {
          className: "dv-field", "data-testid": "link-code", value: code, maxLength: MOST_CHARACTERS, autoFocus: true,
          autoComplete: "off", autoCapitalize: "characters", spellCheck: false, placeholder: "XXXX-XXXX",
          onChange: ({ target }) => setCode(target.value),
        })),
      state !== "no use" && own > 0 && h("p", { className: "dv-own", "data-testid": "link-own" }, words().own({ count: own })),
      why && h("p", { className: "dv-why", role: "alert", "data-testid": "link-why" }, said(why)),
      state !== "no use" && own > 0 && [
        h(Choice, { key: "bring", name: "link-bring", label: words().bring({ count: own }), about: words().bringHow, isFirst: true,
                    disabled: !may, onPress: () => use(true) }),
        h(Choice, { key: "leave", name: "link-leave", label: words().leave({ count: own }), about: words().leaveHow,
                    disabled: !may, onPress: () => use(false) }),
      ],
      h("div", { className: "dv-choices" },
        h("a", { className: "quiet dv-away", href: "/" }, state === "no use" ? words().toThem : words().notNow),
        state !== "no use" && isPlain && h("button", { type: "button", className: "dv-do", "data-testid": "link-use",
                                                         disabled: !may, onClick: () => use() },
          state === "working" ? words().working : words().use))));
}

function Choice({ name, label, about, isFirst, disabled, onPress }) {
  return h("div", { className: "dv-choice" },
    h("button", { type: "button", className: isFirst ? "dv-do" : "quiet", "data-testid": name, disabled,
                  "aria-describedby": `${name}-about`, onClick: (event) => event.detail <= 1 && onPress() }, label),
    h("p", { id: `${name}-about`, className: "dv-small" }, about));
}

/** The code of the address, which then holds none any more: an address is kept in places that a code should not be. */
function takeFromAddress() {
  const address = new URL(window.location.href);
  const code = address.searchParams.get("code") ?? "";
  address.searchParams.delete("code");
  window.history.replaceState(window.history.state, "", address);
  return code.slice(0, MOST_CHARACTERS);
}
