/**
 * What the page says in its own words, seen and heard: texts that can be seen, and names, tips and placeholders.
 *
 * `(contents) => [[where, words], ...]`; what stands in an element of these selectors is somebody else's, or code.
 */
(contents) => {
  const found = [["title", document.title]];
  const isContent = (element) => element.closest(contents) !== null;
  const isThere = (element) => element.checkVisibility({ visibilityProperty: true });
  const whereOf = (element) => element.dataset.testid ?? `${element.localName}.${element.className}`;
  for (const element of document.body.querySelectorAll("*")) {
    if (isContent(element) || element.matches("script, style") || !isThere(element)) continue;
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      if (element.getAttribute(name)) found.push([`${whereOf(element)} ${name}`, element.getAttribute(name)]);
    }
    for (const node of element.childNodes) {
      if (node.nodeType === 3 && node.data.trim()) found.push([whereOf(element), node.data.trim()]);
    }
  }
  return found;
}
