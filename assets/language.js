/**
 * In which language the document is read: the one that was chosen in this browser, else the first of the browser's own
 * that there is, else English. Runs in the head, before anything is drawn (`ui/document.py`, `forgotten.html`).
 *
 * Documents are built in English: what is to be read in another language is not seen before it is (`ui/words`), or for
 * three seconds. `data-wording` says so: "" while it is not seen, "seen" after that, and not there once it is right.
 */
(() => {
  const root = document.documentElement;
  const known = ["en", "zh"];
  let chosen;
  try {
    chosen = localStorage.getItem("language");
  } catch { /* nothing is kept, so nothing was chosen */ }
  if (!known.includes(chosen)) {
    const own = (navigator.languages ?? []).map((name) => name.toLowerCase().split("-")[0]);
    chosen = own.find((name) => known.includes(name)) ?? "en";
  }
  if (chosen === "en") return;
  root.lang = "zh-CN";
  root.setAttribute("data-wording", "");
  // Better in English than not at all, if the page does not come alive; it is told that it is English still.
  setTimeout(() => root.hasAttribute("data-wording") && root.setAttribute("data-wording", "seen"), 3000);
})();
