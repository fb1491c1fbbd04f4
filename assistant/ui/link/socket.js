/**
 * Reflex's one socket, met when it first connects or is first heard: the only place that knows of it.
 *
 * Reflex opens it again by itself, at once and then every 200 ms to 2 s, and never twice at a time. Here each
 * time is spread, so that a server that comes back is not met by all pages at once, and an opening that is not
 * answered ends.
 */

import { Socket } from "socket.io-client";

import { signal } from "../composer/signal.js";

const OPENS_WITHIN_MS = 8000;
const SPREAD_MS = 125;
const WIDEST_SPREAD_MS = 1000;

const { listen, changed } = signal();
const { connect, onevent: hear, onclose: close } = Socket.prototype;

let socket = null;
let failed = 0;
let waiting;
let open = () => {};

Socket.prototype.connect = function connectWithCare() {
  if (socket === this) return openLater(this);
  meet(this);
  return connect.call(this);
};

/** In development the socket may connect before this module is there. */
Socket.prototype.onevent = function heardAtLast(packet) {
  if (socket !== this) {
    meet(this);
    if (this.connected) changed("opened");
  }
  return hear.call(this, packet);
};

/** Reflex opens the next one as soon as it hears of it, with what sessionStorage says by then. */
Socket.prototype.onclose = function closedAtLast(...why) {
  if (socket === this) changed("closing");
  return close.apply(this, why);
};

function meet(found) {
  socket = found;
  found.io.timeout(OPENS_WITHIN_MS);
  setTimeout(endFirstOpening, OPENS_WITHIN_MS, found.io);
  found.on("connect", () => {
    failed = 0;
    changed("opened");
  });
  found.on("disconnect", () => changed("closed"));
  found.on("connect_error", () => {
    failed += 1;
    changed("closed");
  });
  found.onAny(() => changed("heard"));
}

/** Call `tell` with "opened", "closing", "closed" or "heard"; returns how to end that. */
export { listen };

/** The name of the connection that is open, as the server knows it too; "" when none is. */
export function openSocket() {
  return socket?.connected ? socket.id : "";
}

/** Whether it is known at all. */
export function isMet() {
  return socket !== null;
}

/** Ask the server for a word, which is then heard. */
export function ask() {
  if (socket?.connected) socket.emit("ping");
}

/** Take a connection for dead that does not know it; Reflex opens another. */
export function giveUp() {
  socket?.io.engine?.close();
}

/** Wait no longer for the next opening. */
export function openNow() {
  if (waiting !== undefined) open();
}

/** Reflex opens the first transport before it is met here, and gives it twenty seconds. */
function endFirstOpening(manager) {
  if (socket.connected || failed > 0 || manager._readyState !== "opening") return;
  manager.engine.emit("error", new Error("timeout"));
  manager.engine.close();
}

function openLater(self) {
  clearTimeout(waiting);
  open = () => {
    clearTimeout(waiting);
    waiting = undefined;
    connect.call(self);
  };
  waiting = setTimeout(open, Math.random() * Math.min(SPREAD_MS * 2 ** failed, WIDEST_SPREAD_MS));
  return self;
}
