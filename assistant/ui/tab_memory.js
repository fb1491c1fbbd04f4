/*
 * A memory for the tab where the browser keeps nothing more for it, before anything else runs.
 *
 * What could not be written to sessionStorage is held by the document: without its name in there no restore would
 * count for it, and Reflex has no token. It goes with the document; so does what was kept under the same name
 * before, which would be taken for the newest. In localStorage a refusal stays one where the user or we are told of
 * it; what Reflex writes there while it draws is lost, since else the page would not be drawn.
 */
(() => {
  let tab;
  try { tab = window.sessionStorage; } catch { return; }
  const { setItem: set, getItem: get, removeItem: remove, clear } = Storage.prototype;
  const held = new Map();
  const TOLD = /^(draft:|outbox:|wish:|browser$)/;
  Object.assign(Storage.prototype, {
    setItem(name, value) {
      try {
        set.call(this, name, value);
        if (this === tab) held.delete(String(name));
      } catch (refusal) {
        if (this !== tab && TOLD.test(name)) throw refusal;
        if (this !== tab) return;
        remove.call(this, name);
        held.set(String(name), String(value));
      }
    },
    getItem(name) {
      return this === tab && held.has(String(name)) ? held.get(String(name)) : get.call(this, name);
    },
    removeItem(name) {
      if (this === tab) held.delete(String(name));
      remove.call(this, name);
    },
    clear() {
      if (this === tab) held.clear();
      clear.call(this);
    },
  });
})();
