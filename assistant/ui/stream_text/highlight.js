/** Colours for code in the languages that answers are most often written in; any other stays plain. */

import { createElement as h } from "react";
import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = {
  bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, markdown, php, python,
  ruby, rust, sql, swift, typescript, xml, yaml,
};
for (const [name, grammar] of Object.entries(languages)) highlighter.registerLanguage(name, grammar);

const PIECE = /<span class="([^"]*)">|<\/span>|([^<]+)/g;
const ENTITY = /&(?:amp|lt|gt|quot|#x27);/g;
const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };

/** `code` as a string and coloured spans. The highlighter's markup is read, never given to the browser. */
export function highlighted(code, language) {
  if (!highlighter.getLanguage(language)) return [code];
  const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
  const open = [{ children: [] }];
  for (const [, classes, text] of value.matchAll(PIECE)) {
    if (text !== undefined) open.at(-1).children.push(text.replace(ENTITY, (name) => ENTITIES[name]));
    else if (classes !== undefined) open.push({ classes, children: [] });
    else {
      const { classes: className, children } = open.pop();
      open.at(-1).children.push(h("span", { key: open.at(-1).children.length, className }, ...children));
    }
  }
  return open[0].children;
}
