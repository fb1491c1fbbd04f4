/**
 * This browser became another owner's: what the former one left in it goes, and every tab begins anew.
 *
 * `owner` in localStorage is a mark, new with each change; a document carries the one under which it was loaded
 * (sessionStorage `owner`, set in its head, see `ui/document.py`, which forgets what the tab kept under another).
 * A tab whose socket still holds the former cookie loads the page again as soon as it sees the mark change.
 */

import { newKey } from "../composer/request_key.js";

const MARK = "owner";
const RECENT = "recent-session";
const WRITTEN = ["draft:", "outbox:", "wish:"];

/** Called in the tab that has just received the new cookie; `keepsWritten`: what was written here moved along. */
export function becameAnother({ keepsWritten }) {
  try {
    for (const name of Object.keys(localStorage)) {
      const isWritten = WRITTEN.some((prefix) => name.startsWith(prefix));
      if (name === RECENT || (isWritten && !keepsWritten)) localStorage.removeItem(name);
    }
    localStorage.setItem(MARK, newKey());
  } catch {
    // Nothing is kept where nothing may be kept.
  }
  beginAnew();
}

/** Load the page again when another tab became another owner's; returns how to end that. */
export function watchOwner() {
  const loaded = mark(sessionStorage);
  const look = () => {
    // None at all: the browser forgets everything, which is for `ui/forget` to see to.
    const now = mark(localStorage);
    if (now && now !== loaded) beginAnew();
  };
  const stored = ({ key }) => key === MARK && look();
  window.addEventListener("storage", stored);
  window.addEventListener("pageshow", look);
  document.addEventListener("visibilitychange", look);
  return () => {
    window.removeEventListener("storage", stored);
    window.removeEventListener("pageshow", look);
    document.removeEventListener("visibilitychange", look);
  };
}

/** By a navigation: the next document opens a socket of its own, with the cookie of then. */
function beginAnew() {
  window.location.replace("/");
}

function mark(storage) {
  try {
    return storage.getItem(MARK) ?? "";
  } catch {
    return "";
  }
}
