"""A keyboard and nothing else: reach what is there by Tab, press it, and never be nowhere."""

from tests.support.chat_page import ChatPage
from tests.support.page_waits import until

MOST_TABS = 150

_AT = """() => {
  const one = document.activeElement;
  const framed = one.closest(".cp-composer") ?? one;
  const style = getComputedStyle(one);
  const isShown = framed !== one || style.outlineStyle !== "none" || one.matches(".only-heard");
  const name = one.dataset.testid ?? one.classList[0] ?? one.localName;
  return [name.replace(/^setting-tool-.*/, "setting-tool"), isShown];
}"""


class Keys:
    """The keyboard of one page; `used` are the controls that were reached and pressed."""

    def __init__(self, chat: ChatPage) -> None:
        self.chat = chat
        self.page = chat.page
        self.used: set[str] = set()

    def reach(self, name: str, *, back: bool = False) -> None:
        """Press Tab until this control has the focus, and see that it shows."""
        passed = []
        for _ in range(MOST_TABS):
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
            at, is_shown = self.page.evaluate(_AT)
            passed.append(at)
            if at == name:
                assert is_shown, f"nobody sees that {name} has the focus"
                self.used.add(name)
                return
        raise AssertionError(f"{name} was not reached, but {passed}")

    def press(self, name: str, key: str = "Enter", *, back: bool = False) -> None:
        """Reach a control and press the key on it."""
        self.reach(name, back=back)
        self.page.keyboard.press(key)

    def is_at(self, name: str) -> None:
        """Wait until this has the focus by itself."""
        try:
            until(self.page, f"name => ({_AT})()[0] === name", arg=name)
        except AssertionError as lost:
            lost.add_note(f"the focus is at {self.page.evaluate(_AT)[0]}")
            raise
        self.used.add(name)

    def type(self, text: str) -> None:
        """Write where the focus is."""
        self.page.keyboard.type(text)
