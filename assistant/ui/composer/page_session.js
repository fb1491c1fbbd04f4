/** Which session the page shows, also before the server has said it. */

const RECENT_SESSION = "recent-session";
/** In sessionStorage: the document that stands on a new page (`shown.js`, `states/page.py`). */
export const STOOD_NEW = "stood-new";

/**
 * The session by the props `sid` and `ready`; "" for a new one.
 *
 * While a restore runs it is the one shown before; when nothing was shown yet, the one that the restore
 * will choose (DESIGN 7, step 1), so that draft and outbox are there in the first frame.
 */
export function sessionOf(sid, ready, before) {
  if (sid) return sid;
  if (ready) return ready === "new" ? "" : ready;
  return before ?? expected();
}

/** The session that a restore of this document will choose; "" for none. */
export function expected() {
  const named = new URLSearchParams(window.location.search).get("sid");
  if (named) return named;
  try {
    // As the server does: whatever session another tab made the recent one meanwhile.
    if (sessionStorage.getItem(STOOD_NEW) === window.documentName) return "";
    return localStorage.getItem(RECENT_SESSION) ?? "";
  } catch {
    return "";
  }
}
