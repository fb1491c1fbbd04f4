"""A shared session in a browser, in the words of who reads it, and the owner's moves around it."""

from playwright.sync_api import expect

from tests.support.chat_page import ChatPage

GONE_WITHIN_MS = 5_000
GONE = "This link does not work any more."

_ALL = """() => [
  document.documentElement.outerHTML, JSON.stringify(sessionStorage), JSON.stringify(localStorage)
].join()"""


class SharedPage(ChatPage):
    """One tab with a link."""

    def at(self, token: str, *, wait: bool = True) -> "SharedPage":
        """Open the link, and wait until it was asked about."""
        self.page.goto(f"{self.url}/shared/{token}", wait_until="commit")
        if wait:
            self.ready()
        return self

    def is_gone(self, *private: str) -> None:
        """Within five seconds the page says that the link does not work, and keeps none of these texts."""
        expect(self.element("shared-gone")).to_have_text(GONE, timeout=GONE_WITHIN_MS)
        expect(self.element("message")).to_have_count(0)
        expect(self.element("shared-title")).to_have_count(0)
        left = self.everything()
        for text in private:
            assert text not in left

    def everything(self) -> str:
        """All that this tab holds now: its document, and what it keeps."""
        return self.page.evaluate(_ALL)


def shared_by(chat: ChatPage, *, with_arguments: bool = False) -> str:
    """Share the session of the owner's page; returns the token."""
    answer = chat.page.request.post(
        f"{chat.url}/api/sessions/{chat.named()}/share", data={"with_arguments": with_arguments}
    )
    assert answer.ok, answer.text()
    return answer.json()["token"]


def unshared_by(chat: ChatPage) -> None:
    """Take the link back."""
    assert chat.page.request.delete(f"{chat.url}/api/sessions/{chat.sid}/share").ok
