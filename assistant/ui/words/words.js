/** The words for components: drawn anew in another language, which is chosen at the foot of the list. */

import { createElement as h, useLayoutEffect, useSyncExternalStore } from "react";

import { NAMES, WORDING, become, language, listen, tableOf } from "./tables.js";

export * from "./tables.js";

const KEPT = "language";

/** The language, for a component that is drawn anew when it changes. Whatever shows words calls it. */
export function useLanguage() {
  return useSyncExternalStore(listen, language, () => "en");
}

/** All words, for a component; what Python draws says `worded.message.retry` (`__init__.py`). */
export function useWords() {
  return tableOf(useLanguage());
}

/** Invisible, one a page: keeps document and page in one language; `title` names the page in `page.titles`. */
export function WordsKeeper({ title }) {
  const drawn = useLanguage();
  useLayoutEffect(() => {
    become(document.documentElement.lang.startsWith("zh") ? "zh" : "en");
    const followOthers = ({ key, newValue }) => key === KEPT && Object.hasOwn(NAMES, newValue ?? "") && become(newValue);
    window.addEventListener("storage", followOthers);
    return () => window.removeEventListener("storage", followOthers);
  }, []);
  useLayoutEffect(() => {
    if (drawn !== language()) return;
    document.title = tableOf(drawn).page.titles[title];
    document.documentElement.removeAttribute(WORDING);
  }, [drawn, title]);
  return null;
}

/** The page in the other language, by that language's own name for itself; in every tab of this browser. */
export function LanguageButton() {
  const other = useLanguage() === "en" ? "zh" : "en";
  const choose = () => {
    try {
      localStorage.setItem(KEPT, other);
    } catch {
      // Then it lasts as long as this document.
    }
    become(other);
  };
  return h("button", {
    type: "button", className: "foot-button", "data-testid": "language", lang: NAMES[other], onClick: choose,
  }, GLOBE, tableOf(other).page.language);
}

/** Lucide's globe. */
const GLOBE = h("svg", { viewBox: "0 0 24 24", className: "cp-icon", "aria-hidden": true },
  h("circle", { cx: 12, cy: 12, r: 9 }), h("path", { d: "M3 12h18M12 3a14 14 0 0 1 0 18M12 3a14 14 0 0 0 0 18" }));
