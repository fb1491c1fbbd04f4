/**
 * Links and code of which the end has not come yet, in the last line of a text that grows.
 *
 * With `growing` in the environment, a link is shown as its words until its target is there, and what follows an
 * opening backtick is shown as it is: an address that comes and goes, or bold words that turn into code, would
 * flicker. In a text that is whole both are what the parser says.
 */

const HALF_A_LINK = /^!?\[((?:[^[\]\\]|\\.)*)\]\((?:[^()\\\n]|\\.|\([^()\n]*(?:\)|$))*$/;
const TICKS = /`+/g;

/** Teaches the parser what is half received. */
export function halfReceived(markdown) {
  markdown.inline.ruler.before("backticks", "half_code", halfCode);
  markdown.inline.ruler.before("link", "half_link", halfLink);
}

function halfCode(state, silent) {
  const { src, pos, posMax } = state;
  if (!state.env.growing || src[pos] !== "`" || posMax !== src.length) return false;
  TICKS.lastIndex = pos;
  const [opener] = TICKS.exec(src);
  for (let run; (run = TICKS.exec(src));) if (run[0] === opener) return false;
  if (!silent) state.push("text", "", 0).content = src.slice(pos);
  state.pos = posMax;
  return true;
}

function halfLink(state, silent) {
  const { src, pos, posMax } = state;
  if (!state.env.growing || (src[pos] !== "[" && src[pos] !== "!") || posMax !== src.length) return false;
  const words = HALF_A_LINK.exec(src.slice(pos))?.[1];
  if (words === undefined) return false;
  if (!silent) {
    const start = pos + src.slice(pos).indexOf("[") + 1;
    state.pos = start;
    state.posMax = start + words.length;
    state.md.inline.tokenize(state);
    state.posMax = posMax;
  }
  state.pos = posMax;
  return true;
}
