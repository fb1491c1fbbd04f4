"""A look at a screen: with axe, in both themes, on a desk and on a phone; and for a keyboard alone."""

from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize

from tests.e2e.page.refresh.conftest import WINDOW

PHONE = ViewportSize(width=390, height=844)

_RUN = """([where, options]) => axe.run(where, options).then((seen) =>
  seen.violations.flatMap(({id, nodes}) => nodes.map(({target, html, any, all, none}) => {
    const [why] = [...any, ...all, ...none].map((each) => each.message);
    return [id, target.join(" "), html.slice(0, 160), why].join(" | ");
  })))"""
_CONTROLS = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").partition("*/")[2].strip()
_ALL = {"resultTypes": ["violations"]}
_COLOURS = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}


class Looker:
    """Looks at one screen after another, and keeps what is wrong with them."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.controls: dict[str, str] = {}
        """Each kind of control that was seen, and on which screen first."""

    def at(self, page: Page, screen: str, where: str = "html", *, still: bool = False) -> None:
        """All rules on a desk and on a phone; in the dark those about colours, which alone are others there.

        `where` is what is new on this screen. `still`: it would close if the focus left it.
        """
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        self._note(page, where, f"{screen}, light", _ALL)
        page.emulate_media(color_scheme="dark")
        self._note(page, where, f"{screen}, dark", _COLOURS)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(PHONE)
        self._note(page, where, f"{screen}, phone", _ALL)
        page.set_viewport_size(WINDOW)
        if not still:
            self._try_keyboard(page, where, screen)

    def _try_keyboard(self, page: Page, where: str, screen: str) -> None:
        page.keyboard.press("F2")  # means nothing here, and tells the browser that a keyboard is used
        names, faults = page.evaluate(_CONTROLS, where)
        self.found += [f"{screen}, keyboard: {each}" for each in faults]
        for name in names:
            self.controls.setdefault(name, screen)

    def _note(self, page: Page, where: str, screen: str, options: dict[str, list[str]]) -> None:
        self.found += [f"{screen}: {each}" for each in page.evaluate(_RUN, [where, options])]
