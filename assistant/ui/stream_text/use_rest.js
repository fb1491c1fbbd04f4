/** Whether a text that may still grow has not done so for a while. */

import { useEffect, useState } from "react";

const REST_MS = 600;

/** True from a while after the last change of the `view` of a `live` message until the next one. */
export function useRest(view, live) {
  const [rested, rest] = useState(null);
  useEffect(() => {
    if (!live) return undefined;
    const timer = setTimeout(() => rest(view), REST_MS);
    return () => clearTimeout(timer);
  }, [view, live]);
  return live && rested === view;
}
