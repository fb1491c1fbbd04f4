/** Tells the views of a store that it changed. */

/** Returns `listen(tell)`, which returns how to end that, and `changed(...news)`, which tells them all. */
export function signal() {
  const told = new Set();
  return {
    listen(tell) {
      told.add(tell);
      return () => told.delete(tell);
    },
    changed(...news) {
      for (const tell of [...told]) tell(...news);
    },
  };
}
