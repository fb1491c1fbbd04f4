/** What a person typed in the calls: kept by the tab, so that a reload loses none of it. */

const REASON = "deny:";

/** The reason for a denial, as far as it was typed; null while the field is closed. */
export function keptReason(call) {
  return read(REASON + call);
}

/** Keep it; null closes the field. */
export function keepReason(call, text) {
  write(REASON + call, text);
}

function read(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function write(name, value) {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // Without storage it lasts as long as the page.
  }
}
