/**
 * The settings of a session: model, temperature, instructions and tools, in a small sheet over the composer.
 *
 *     as stored ──change──> kept by this tab ──wish accepted──> as stored
 *                            │      ^
 *                            └──────┘ refused or lost: it says "Not saved", with Save and Discard
 *
 * On a new page what is kept goes with the first message. The sheet stays open over a reload, with whatever
 * stands in it.
 */

import { createElement as h, useEffect, useId, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import * as kept from "../composer/settings_kept.js";
import { keepOpen, wasOpen } from "../open_parts/open_parts.js";
import * as wishes from "../wish/wishes.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("settings");

const SHEET = "settings";
const WISH = "configure";

/**
 * `place` is the session on the page, "new", or "" before there is any; `model` and `parameters` are as stored.
 * `onConfigure(sid, model, parameters, key)`.
 */
export function SessionSettings({ place, model, parameters, models, tools, carries, onConfigure }) {
  useLanguage();
  const [isOpen, setOpen] = useState(false);
  const button = useRef(null);
  const id = useId();
  useLayoutEffect(() => setOpen(wasOpen(SHEET)), []);
  const toggle = (open) => {
    setOpen(open);
    keepOpen(SHEET, open);
    if (!open) button.current?.focus();
  };
  const settings = useSettings({ place, model, parameters, carries, onConfigure });
  const name = settings.shown.model || models[0] || "";
  const isGone = models.length > 0 && !models.includes(name);

  return h("div", { className: "ss" },
    isGone && h("p", { className: "ss-gone", role: "status", "data-testid": "model-gone" }, words().goneAbout({ model: name }), " ",
      h("button", { type: "button", className: "quiet", "data-testid": "model-other", onClick: () => settings.choose(models[0]) },
        words().useOther({ model: models[0] }))),
    h("button", {
      ref: button, type: "button", className: "ss-button", "data-testid": "model", title: words().open,
      "aria-expanded": isOpen, "aria-controls": id, "aria-haspopup": "dialog", onClick: () => toggle(!isOpen),
    }, isGone ? words().gone({ model: name }) : name || words().model),
    isOpen && h(Sheet, { id, settings, models, tools, isNew: place === kept.NEW, name, onClose: () => toggle(false) }));
}

function Sheet({ id, settings, models, tools, isNew, name, onClose }) {
  useLanguage();
  const { shown } = settings;
  const root = useRef(null);
  useEffect(() => {
    const outside = (event) => {
      if (!root.current?.parentElement.contains(event.target)) onClose();
    };
    const escape = (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.stopPropagation(); // without a sheet it stops the answer
      onClose();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", escape, true);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", escape, true);
    };
  }, [onClose]);
  const chosen = shown.parameters.tools ?? tools.map((tool) => tool.name);
  const setTool = (tool, isOn) => {
    const now = tools.map((each) => each.name).filter((each) => (each === tool ? isOn : chosen.includes(each)));
    settings.change({ tools: now.length === tools.length ? undefined : now }, true);
  };

  return h("section", {
    id, ref: root, role: "dialog", "aria-label": words().open, className: "ss-sheet", "data-testid": "settings",
  },
    h("header", { className: "ss-head" },
      h("h2", null, words().title),
      h("button", { type: "button", className: "icon-button", "data-testid": "settings-close", "aria-label": words().close,
                    title: words().closeKeys, onClick: onClose }, "×")),
    h("label", { className: "ss-row" }, h("span", null, words().model),
      h("select", {
        "data-testid": "setting-model", value: name, onChange: (event) => settings.choose(event.target.value),
      }, (models.includes(name) || !name ? models : [name, ...models]).map((each) => h("option", { key: each }, each)))),
    h(Temperature, { value: shown.parameters.temperature, settings }),
    h("label", { className: "ss-field" }, h("span", null, words().system),
      h("textarea", {
        "data-testid": "setting-system", rows: 4, maxLength: 20000, placeholder: words().systemHint, dir: "auto",
        value: shown.parameters.system ?? "",
        onChange: (event) => settings.change({ system: event.target.value || undefined }, false),
        onBlur: settings.save,
      })),
    h("fieldset", { className: "ss-tools" }, h("legend", null, words().tools),
      tools.length === 0 && h("p", { className: "ss-quiet" }, words().none),
      tools.map((tool) => h("label", { key: tool.name },
        h("input", {
          type: "checkbox", "data-testid": `setting-tool-${tool.name}`, checked: chosen.includes(tool.name),
          onChange: (event) => setTool(tool.name, event.target.checked),
        }),
        h("span", null, words().names[tool.name] ?? tool.name, tool.asks && h("small", null, ` ${words().asks}`))))),
    h(Foot, { settings, isNew }));
}

function Temperature({ value, settings }) {
  useLanguage();
  const [text, setText] = useState(null);
  const shown = text ?? (value === undefined ? "" : String(value));
  const number = shown.trim() === "" ? undefined : Number(shown.replace(",", "."));
  const isBad = number !== undefined && !(number >= 0 && number <= 2);
  const commit = () => {
    if (isBad) return;
    setText(null);
    if (number !== value) settings.change({ temperature: number }, true);
  };
  return h("label", { className: "ss-row" }, h("span", null, words().temperature),
    h("input", {
      "data-testid": "setting-temperature", inputMode: "decimal", size: 6, value: shown, placeholder: words().free,
      "aria-invalid": isBad, onChange: (event) => setText(event.target.value), onBlur: commit,
      onKeyDown: (event) => event.key === "Enter" && commit(),
    }),
    isBad && h("em", { role: "alert", className: "ss-wrong" }, words().badTemperature));
}

function Foot({ settings: { isUnsaved, isSaving, save, discard }, isNew }) {
  useLanguage();
  const says = isNew ? words().first : isSaving ? words().saving : isUnsaved ? words().unsaved : words().next;
  return h("footer", { className: "ss-foot" },
    h("span", { role: "status", "data-testid": "settings-state", "data-state": isSaving ? "saving" : isUnsaved ? "unsaved" : "saved" }, says),
    isUnsaved && !isSaving && h("span", null,
      h("button", { type: "button", className: "quiet", "data-testid": "settings-discard", onClick: discard }, words().discard),
      h("button", { type: "button", className: "quiet", "data-testid": "settings-save", onClick: save }, words().save)));
}

/** What is shown, and what can be done about it. */
function useSettings({ place, model, parameters, carries, onConfigure }) {
  const json = useSyncExternalStore(kept.listen, () => kept.keptFor(place), () => "");
  const stored = { model: model || "", parameters: parameters ?? {} };
  const mine = useMemo(() => (json ? JSON.parse(json) : null), [json]);
  const shown = mine ?? stored;
  const isSession = place !== "" && place !== kept.NEW;
  const isSaving = useSyncExternalStore(wishes.listen, () => isSession && wishes.isPending(WISH, place), () => false);
  const isUnsaved = isSession && mine !== null && !same(mine, stored);
  const again = useRef(false);

  useEffect(() => {
    // Unless more was changed since this was drawn.
    if (isSession && mine !== null && !isUnsaved && kept.keptFor(place) === json) kept.forget(place);
  }, [isSession, mine, isUnsaved, place]);
  useEffect(() => {
    // What was changed while the change before it was on its way.
    if (!isSaving && again.current && isUnsaved) save();
    if (!isSaving) again.current = false;
  }, [isSaving]);

  function put(settings, isDone) {
    kept.keep(place, settings);
    if (isDone) store(settings);
  }

  function store(settings) {
    if (!isSession || same(settings, stored)) return;
    if (wishes.isPending(WISH, place)) again.current = true;
    else if (carries) wishes.send(WISH, place, "settings.title", (key) => onConfigure(place, settings.model, settings.parameters, key));
  }

  function save() {
    const now = kept.keptFor(place);
    if (now) store(JSON.parse(now));
  }

  const change = (some, isDone) => {
    const merged = Object.entries({ ...shown.parameters, ...some }).filter(([, value]) => value !== undefined);
    put({ ...shown, parameters: Object.fromEntries(merged) }, isDone);
  };
  const choose = (name) => put({ ...shown, model: name }, true);
  return { shown, isUnsaved, isSaving, change, choose, save, discard: () => kept.forget(place) };
}

/** Whether both ask for the same; an order of names means nothing. */
function same(one, other) {
  const sorted = ({ model, parameters }) =>
    JSON.stringify([model, Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))]);
  return sorted(one) === sorted(other);
}
