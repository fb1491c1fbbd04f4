/**
 * Formulas: TeX as MathML, by temml, which is loaded when the first formula is drawn.
 *
 * Like all that a text becomes, they are elements of known kinds with known attributes: markup of the library is
 * never given to the browser. Until it is there, and where it does not understand, the formula is shown as written.
 */

import { createElement as h, memo, useMemo, useSyncExternalStore } from "react";

import { signal } from "../composer/signal.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("text");

/** In localStorage of a browser that has drawn a formula: its next pages load the library at once. */
const DRAWN = "formulas";

const LONGEST = 4000;
const MOST_NODES = 3000;
const DEEPEST = 40;
const LIMITS = { throwOnError: true, trust: false, strict: false, maxExpand: 200, maxSize: [20, 200] };

const ELEMENTS = new Set([
  "math", "mi", "mn", "mo", "mtext", "mspace", "mrow", "mfrac", "msqrt", "mroot", "mstyle", "mpadded", "mphantom",
  "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none", "mtable",
  "mtr", "mtd", "menclose",
]);
const ATTRIBUTES = new Set([
  "accent", "accentunder", "columnalign", "columnspan", "depth", "display", "displaystyle", "fence", "form", "height",
  "largeop", "linethickness", "lspace", "mathbackground", "mathcolor", "mathsize", "mathvariant", "maxsize", "minsize",
  "movablelimits", "notation", "rowspacing", "rspace", "scriptlevel", "separator", "stretchy", "symmetric", "voffset",
  "width",
]);
const STYLES = /^(?:padding|border|margin)|^(?:width|height|color|textAlign|fontWeight|mathDepth|whiteSpace)$/;
const STYLE_VALUE = /^[\w\s.,%#-]+$/;

const { listen, changed } = signal();
let temml = null;
let loading = null;

if (typeof window !== "undefined" && wasDrawn()) load();

/** The formula `tex`; shown as it is `written` while that is all there is. With `display`, on lines of its own. */
export const Formula = memo(function Formula({ tex, written, display, open, block, children }) {
  useLanguage();
  const renderer = useSyncExternalStore(listen, () => temml, () => null);
  const drawn = useMemo(() => (renderer && !open ? formula(renderer, tex, display) : null), [renderer, tex, display, open]);
  if (!renderer && !open) load();
  const className = drawn ? (display ? "st-math st-display" : "st-math") : "st-math st-written";
  const scrolls = drawn && display ? { tabIndex: 0, role: "group", "aria-label": words().formula } : null;
  return h(block ? "div" : "span", { className, dir: "ltr", ...scrolls }, drawn ?? written, children);
});

/** Call `then` at once, or, while the library for what was drawn is on its way, when it has come or failed to. */
export function afterFormulas(then) {
  if (loading && !temml) loading.then(then);
  else then();
}

function load() {
  if (typeof window === "undefined") return;
  loading ??= import("temml").then(
    ({ default: library }) => {
      temml = library;
      remember();
      changed();
    },
    // Without a network: the next formula that is drawn tries again.
    () => {
      loading = null;
    },
  );
}

function formula(renderer, tex, display) {
  if (tex.length > LONGEST) return null;
  try {
    const wrap = display ? "none" : "tex";
    const root = renderer.__renderToMathMLTree(tex.trim(), { ...LIMITS, displayMode: display, wrap });
    let nodes = 0;
    return element(root, 0, 0);

    // A group without a name of its own only holds others.
    function element({ type = "mrow", text, attributes = {}, classes = [], style = {}, children }, key, depth) {
      if (children === undefined) return text;
      nodes += 1;
      if (nodes > MOST_NODES || depth > DEEPEST) throw new RangeError("too large");
      const shown = children.map((child, index) => element(child, index, depth + 1));
      if (!ELEMENTS.has(type)) throw new TypeError(type);
      const className = classes.join(" ") || undefined;
      return h(type, { key, className, ...known(attributes), style: knownStyle(style) }, ...shown);
    }
  } catch {
    return null;
  }
}

function known(attributes) {
  const pairs = Object.entries(attributes).filter(([name]) => ATTRIBUTES.has(name));
  return Object.fromEntries(pairs.map(([name, value]) => [name, String(value)]));
}

function knownStyle(style) {
  const pairs = Object.entries(style).filter(([name, value]) => STYLES.test(name) && STYLE_VALUE.test(value));
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

function wasDrawn() {
  try {
    return localStorage.getItem(DRAWN) !== null;
  } catch {
    return false;
  }
}

function remember() {
  try {
    localStorage.setItem(DRAWN, "1");
  } catch {
    // It is loaded a little later then.
  }
}
