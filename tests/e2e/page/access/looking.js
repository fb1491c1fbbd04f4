/** What can be done somewhere on a screen, and what of it a keyboard alone cannot do or cannot show: `[names, faults]`. */
(where) => {
  const CONTROLS = "button, a[href], input, select, textarea, summary, [tabindex='0']";
  const isThere = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled;
  const named = (one) => (one.dataset.testid ?? one.classList[0] ?? one.localName).replace(/^setting-tool-.*/, "setting-tool");
  const look = (one) => {
    // The box of the composer shows the focus of its text.
    const framed = one.closest(".cp-composer") ?? one;
    return [one, framed].map((each) => {
      const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor } = getComputedStyle(each);
      return [outlineStyle === "none" ? "" : outlineStyle + outlineWidth, boxShadow, borderColor, backgroundColor].join();
    }).join();
  };
  const place = document.querySelector(where);
  const held = document.activeElement;
  const faults = [];
  const controls = [...place.querySelectorAll(CONTROLS)].filter(isThere);
  for (const one of controls) {
    if (one.closest("[aria-hidden=true]")) faults.push(`${named(one)} is hidden from who listens`);
    if (one.tabIndex < 0) faults.push(`${named(one)} is passed over by Tab`);
    held?.blur?.();
    document.activeElement?.blur?.();
    const before = look(one);
    one.focus({ preventScroll: true });
    if (document.activeElement !== one) faults.push(`${named(one)} takes no focus`);
    else if (look(one) === before) faults.push(`${named(one)} does not show that it has the focus`);
  }
  for (const one of place.querySelectorAll(":not(head, head *)")) {
    const isPressed = getComputedStyle(one).cursor === "pointer" && isThere(one);
    if (isPressed && !one.closest(`${CONTROLS}, label, [aria-hidden=true], :disabled`)) faults.push(`${named(one)} is for a mouse alone`);
  }
  held?.focus?.({ preventScroll: true });
  return [[...new Set(controls.map(named))], [...new Set(faults)]];
}
