/** The icons of the composer, drawn on a grid of 24 and shown at 16 px. */

import { createElement as h } from "react";

export const SEND = icon(h("path", { d: "M12 19V5M5 12l7-7 7 7" }));
export const STOP = icon(h("rect", { x: 4, y: 4, width: 16, height: 16, rx: 3, fill: "currentColor" }));
export const ALERT = icon(h("g", null, h("circle", { cx: 12, cy: 12, r: 9 }), h("path", { d: "M12 7.5v5.5M12 16.5v.01" })));

export const PENCIL = icon(h("path", { d: "M17 3a2.8 2.8 0 1 1 4 4L7.5 20.5 2 22l1.5-5.5ZM15 5l4 4" }));

function icon(drawing) {
  return h("svg", { className: "cp-icon", viewBox: "0 0 24 24", "aria-hidden": true }, drawing);
}
