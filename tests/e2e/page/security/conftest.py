"""A page under its own policy, a page that only escaping protects, and what would show that either failed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request

from tests.e2e.page.refresh.conftest import (  # noqa: F401
    WINDOW,
    app,
    browser,
    launch,
    mail_port,
    mail_server,
    plain_app,
    playwright,
    provider,
    provider_port,
)
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage

_TELL = """document.addEventListener("securitypolicyviolation", (event) => console.error(
  "policy violated:", event.effectiveDirective, event.blockedURI, event.sample, event.sourceFile))"""
_SAID = ("policy violated", "Content Security Policy", "Permissions-Policy", "Refused to", "Trusted")


class Watched:
    """A browser, and everything in it that nobody may ever see."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context = context
        self.url = url
        self.violations: list[str] = []
        self.dialogs: list[str] = []
        self.elsewhere: list[str] = []
        self.answered: list[str] = []
        """Of those, what reached anybody: the browser tells of a request that it has forbidden, too."""
        context.add_init_script(_TELL)
        context.on("console", self._console)
        context.on("dialog", self._dialog)
        context.on("request", lambda request: self._request(request.url))
        context.on("requestfailed", self._failed)

    def tab(self) -> ChatPage:
        """A new page in it."""
        return ChatPage(self.context.new_page(), self.url)

    def is_clean(self) -> None:
        """Nothing was forbidden, because nothing was tried."""
        assert self.violations == []
        self.ran_nothing()

    def ran_nothing(self) -> None:
        """No page ran what it should only show."""
        for page in self.context.pages:
            assert page.evaluate("window.owned ?? null") is None
        assert self.dialogs == []
        assert self.elsewhere == []

    def _console(self, message: ConsoleMessage) -> None:
        if any(words in message.text for words in _SAID):
            self.violations.append(message.text)

    def _dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _failed(self, request: Request) -> None:
        if self._is_elsewhere(request.url) and "csp" not in (request.failure or "").lower():
            self.answered.append(f"{request.url}: {request.failure}")

    def _request(self, url: str) -> None:
        if self._is_elsewhere(url):
            self.elsewhere.append(url)

    def _is_elsewhere(self, url: str) -> bool:
        return not url.startswith((f"{self.url}/", "data:", "blob:"))


@pytest.fixture
def strict(app: AppUnderTest, browser: Browser) -> Iterator[Watched]:  # noqa: F811
    """Under the policy that the server sends."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
    yield Watched(context, app.url)
    context.close()


@pytest.fixture
def bare(app: AppUnderTest, browser: Browser) -> Iterator[Watched]:  # noqa: F811
    """Without any policy: what is not escaped runs."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce", bypass_csp=True)
    yield Watched(context, app.url)
    context.close()


def has_no_element_of(page: Page, where: str) -> None:
    """Nothing that a hostile text may ask for was made of it, and every link goes to where links may go."""
    texts = page.locator(where)
    made = "script, img, image, iframe, object, embed, form, style, link, meta, base, video, audio, marquee"
    assert texts.locator(f":is({made}):not([data-chrome] *)").count() == 0
    assert texts.locator("[onerror], [onload], [onfocus], [onclick], [onmouseover]").count() == 0
    protocols = texts.locator("a[href]").evaluate_all("all => all.map((a) => a.protocol)")
    assert set(protocols) <= {"http:", "https:", "mailto:"}
