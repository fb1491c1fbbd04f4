/**
 * The name of this document, new with every load; the server learns it when the socket opens, and says with
 * a restore for which document that was.
 */

const NAME = "document";

/** Named by a script in the head (`ui/document.py`), since the socket may open before this module runs. */
export const documentName = typeof window === "undefined" ? "" : window.documentName;

function tell() {
  try {
    sessionStorage.setItem(NAME, documentName);
  } catch {
    // Reflex itself does not run without it.
  }
}

if (typeof window !== "undefined") {
  tell();
  // Out of the back/forward cache another document of this tab may have been named since.
  document.addEventListener("visibilitychange", tell);
  window.addEventListener("pageshow", tell);
}
