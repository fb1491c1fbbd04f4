/**
 * Takes the chunks of a Reflex state as they come, and not as they are drawn: React may draw two updates at
 * once, and what only the first of them held would be lost.
 */

import { useContext, useLayoutEffect } from "react";

import { StateStoreContext } from "$/utils/context-registry";
import { deliver } from "./stream_text.js";

/** Invisible; `field` of the state `room` holds the chunks. */
export function ChunkRoom({ room, field }) {
  const rooms = useContext(StateStoreContext);
  useLayoutEffect(() => {
    let last;
    const tell = () => {
      const chunks = rooms.getSnapshot(room)?.[field];
      if (chunks === last) return;
      last = chunks;
      deliver(chunks ?? []);
    };
    tell();
    return rooms.subscribe(room, tell);
  }, [rooms, room, field]);
  return null;
}
