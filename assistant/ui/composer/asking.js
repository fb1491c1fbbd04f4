/** When the server is asked about sent items whose fate is not known: never while the page is not ready. */

const FIRST_MS = 8000;
const AGAIN_MS = [5000, 10_000, 20_000, 30_000];

const clocks = new Map();
let ready = false;
let ask = () => {};

/** How to ask; the newest counts. */
export function askBy(question) {
  ask = question;
}

/** Something about this item went to the server; without a reply in time it is asked about. */
export function expectReply(key) {
  settle(key);
  if (ready) wait(key, FIRST_MS, 0);
}

/** Its fate is known. */
export function settle(key) {
  clearTimeout(clocks.get(key));
  clocks.delete(key);
}

/** The page is restored and connected: ask about these in one question, then again until they are settled. */
export function resume(keys) {
  pause();
  ready = true;
  askAbout(keys);
}

/** Ask about these now, then again until they are settled. */
export function askAbout(keys) {
  if (!ready || keys.length === 0) return;
  for (const key of keys) wait(key, AGAIN_MS[0], 1);
  ask(keys);
}

/** No question reaches the server now. */
export function pause() {
  ready = false;
  for (const key of [...clocks.keys()]) settle(key);
}

function wait(key, delay, round) {
  const again = () => {
    wait(key, AGAIN_MS[Math.min(round, AGAIN_MS.length - 1)], round + 1);
    ask([key]);
  };
  clocks.set(key, setTimeout(again, delay));
}
