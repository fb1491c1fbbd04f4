/** The icons of the tools, drawn on a grid of 24 and shown at 16 px. */

import { createElement as h } from "react";

const MAIL = icon("M4 6h16v12H4ZM4 7l8 6.5L20 7");
const GLOBE = icon("M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18ZM3.5 12h17M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18");
const SUM = icon("M6 3h12v18H6ZM9 7h6M9.5 12v.01M14.5 12v.01M9.5 16v.01M14.5 16v.01");
const CLOCK = icon("M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18ZM12 7.5V12l3 2");
const NOTE = icon("M6 3h9l4 4v14H6ZM9.5 11h6M9.5 15h6");
const TOOL = icon("M14.5 6.5a4 4 0 0 1 5.2-1.2l-2.9 2.9l1.5 1.5l2.9-2.9a4.5 4.5 0 0 1-6 5.6L8 19.6a2 2 0 0 1-2.9-2.9l7.3-7.2a4 4 0 0 1 2.1-3Z");

/** Something is in doubt. */
export const DOUBT = icon("M12 4L21 20H3ZM12 10v4.5M12 17.3v.01");

const ICONS = {
  send_mail: MAIL,
  web_page: GLOBE,
  calculator: SUM,
  current_time: CLOCK,
  slow_count: CLOCK,
  write_note: NOTE,
  list_notes: NOTE,
  read_note: NOTE,
  delete_note: NOTE,
};

/** The icon of a tool. */
export function iconOf(name) {
  return Object.hasOwn(ICONS, name) ? ICONS[name] : TOOL;
}

function icon(path) {
  return h("svg", { key: "icon", className: "tc-icon", viewBox: "0 0 24 24", "aria-hidden": true }, h("path", { d: path }));
}
