/** A session as a file: links that save it, and a button that brings one back. */

import { createElement as h, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";

import { origin } from "../devices/server.js";
import { locale, said, useLanguage, wordsOf } from "../words/words.js";
import * as importing from "./importing.js";

const words = wordsOf("files");
const share = wordsOf("share");

/** Plain links: the browser saves what they lead to, whatever the page does meanwhile. */
export function ExportLinks({ sid }) {
  useLanguage();
  const link = (format, label) => h("a", {
    className: "quiet", "data-testid": `export-${format}`, download: "", href: `${origin()}/api/sessions/${sid}/export?format=${format}`,
  }, label);
  return h("div", { className: "export", role: "group", "aria-label": share().save },
    h("p", { className: "share-words" }, share().saveAbout),
    link("md", share().markdown), link("json", share().json));
}

/** At the foot of the list; `onOpen(session)` shows what was made. */
export function ImportButton({ onOpen }) {
  useLanguage();
  const chooser = useRef(null);
  const { state, name, percent, fate, more, refused } = useSyncExternalStore(
    importing.listen, importing.current, importing.current,
  );
  const isAtWork = state === "sending" || state === "building";
  const isUnderWay = useSyncExternalStore(importing.listen, importing.isUnderWay, () => false);
  useLayoutEffect(() => importing.openBy((session) => {
    document.documentElement.removeAttribute("data-sheet");
    onOpen(session);
  }));
  useEffect(importing.resume, []);
  const about = isUnderWay ? words().importBusy : words().importAbout;
  const chosen = ({ target }) => {
    if (target.files[0]) importing.begin(target.files[0]);
    target.value = ""; // the same file may be chosen again
  };
  return h("div", { className: "import" },
    h("input", { ref: chooser, type: "file", accept: ".json,application/json", hidden: true, "data-testid": "import-file",
                 disabled: isUnderWay, onChange: chosen }),
    // Not `disabled`: the focus stays, and whoever comes to it hears why it is not to be used.
    h("button", { type: "button", className: "foot-button", "data-testid": "import", title: about,
                  "aria-describedby": "import-about", "aria-disabled": isUnderWay || undefined,
                  onClick: () => isUnderWay || chooser.current.click() },
      INBOX, words().import),
    h("span", { id: "import-about", className: "only-heard" }, about),
    (state !== "rest" || refused) && h("div", { className: "import-told" },
      state !== "rest" && h("p", { role: "status", "data-testid": "import-state", "data-state": state, "data-fate": fate }, told()),
      // Beside what is said: nobody wants each step of it read aloud.
      isAtWork && h("div", { className: "import-progress" },
        h("progress", { "aria-label": told(), max: 1, value: state === "sending" ? percent : undefined }),
        state === "sending" && h("span", { "aria-hidden": true, "data-testid": "import-percent" }, inPercent(percent))),
      refused && h("p", { role: "alert", "data-testid": "import-refused" }, words().oneAtATime({ name: refused })),
      h("button", { type: "button", className: "quiet", "data-testid": "import-close",
                    onClick: isAtWork ? importing.cancel : importing.close },
        isAtWork ? words().cancel : words().close)));

  function told() {
    if (state === "sending") return words().sending({ name });
    if (state === "building") return words().building({ name });
    return words()[fate]({ name, ...more, why: said(more) });
  }
}

function inPercent(part) {
  return new Intl.NumberFormat(locale(), { style: "percent" }).format(part);
}

const INBOX = h("svg", { viewBox: "0 0 24 24", className: "cp-icon", "aria-hidden": true },
  h("path", { d: "M12 3v11M8 10l4 4 4-4M4 15v4a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-4" }));
