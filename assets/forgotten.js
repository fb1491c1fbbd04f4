/**
 * The last act of forgetting: clears what this origin keeps in the browser, after the page that used it has gone.
 *
 * Its words are those of `ui/words`, which its document has in English.
 *
 * A page that is left still writes what it shows; this one is loaded after that, in every tab.
 */
(() => {
  const root = document.documentElement;
  const say = async () => {
    const table = await (await fetch("/external/assistant/ui/words/zh.json")).json();
    for (const element of document.querySelectorAll("[data-words]")) {
      element.textContent = element.dataset.words.split(".").reduce((words, name) => words[name], table);
    }
  };
  if (root.hasAttribute("data-wording")) {
    const seen = () => root.removeAttribute("data-wording");
    addEventListener("DOMContentLoaded", () => say().then(seen, seen));
  }
  for (const storage of ["localStorage", "sessionStorage"]) {
    try {
      window[storage].clear();
    } catch { /* a browser that keeps nothing has nothing to forget */ }
  }
  window.indexedDB?.databases?.().then((all) => all.forEach(({ name }) => indexedDB.deleteDatabase(name)), () => {});
  window.caches?.keys().then((names) => names.forEach((name) => caches.delete(name)), () => {});
})();
