/** The lock of a session: the browser gives it to one of its tabs, and takes it back when that tab is gone. */

let wish = null;

/** Whether this browser can tell its tabs of each other; on plain http only for the machine itself. */
export function isAble() {
  return typeof navigator.locks?.request === "function" && typeof BroadcastChannel === "function";
}

/** Wait for the lock; `tell` hears "granted", and "robbed" when another tab took it after that. */
export function queue(name, tell) {
  const given = new AbortController();
  ask(name, { signal: given.signal }, tell, () => given.abort());
}

/** Take the lock from whoever has it. */
export function take(name, tell) {
  ask(name, { steal: true }, tell, () => {});
}

/** Give the lock back, or stop waiting for it. */
export function letGo() {
  wish?.end();
  wish = null;
}

function ask(name, how, tell, stopWaiting) {
  letGo();
  const mine = { end: stopWaiting };
  wish = mine;
  const hold = () => {
    if (wish !== mine) return undefined;
    const held = new Promise((giveBack) => {
      mine.end = giveBack;
    });
    tell("granted");
    return held;
  };
  // Refused when it was stopped, and when the lock was taken away.
  navigator.locks.request(name, how, hold).catch(() => {
    if (wish !== mine) return;
    wish = null;
    tell("robbed");
  });
}
