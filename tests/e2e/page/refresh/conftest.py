"""A real page in a browser, one embedded process that serves it, and a scripted provider behind that."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, ViewportSize, sync_playwright

from tests.e2e.http.stage import app_before, end_what_runs
from tests.support.app_under_test import AppUnderTest
from tests.support.browsers import launched, needed
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.ports import free_port
from tests.support.slow_line import SlowLine
from tests.support.smtp_server import SmtpServer, smtp_server_apart

WINDOW = ViewportSize(width=1280, height=720)

Tab = Callable[[], ChatPage]


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """While it lives, no test of the same thread may run an event loop: so it ends with the package."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def launch(playwright: Playwright) -> Callable[..., Browser]:
    """Start a browser that is installed here."""
    needed()
    return partial(launched, playwright)


@pytest.fixture(scope="package")
def browser(launch: Callable[..., Browser]) -> Iterator[Browser]:
    """One for all; what it remembers is a context's."""
    browser = launch()
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def provider_port() -> int:
    """Where the provider of every test listens, since a running app knows one address."""
    return free_port()


@pytest.fixture
def provider(provider_port: int) -> Iterator[ScriptedProvider]:
    """A provider without scripts, calls or connections of an earlier test."""
    with ScriptedProvider(port=provider_port) as scripted:
        yield scripted


@pytest.fixture(scope="package")
def mail_port() -> int:
    """Where the mail server of every test listens."""
    return free_port()


@pytest.fixture
def mail_server(mail_port: int) -> Iterator[SmtpServer]:
    """Outside of the app, and so the judge of what it did."""
    with smtp_server_apart(mail_port) as server:
        yield server


@pytest.fixture(scope="package")
def plain_app(provider_port: int, mail_port: int) -> Iterator[AppUnderTest]:
    """One embedded process before a provider that cannot go on from a prefix."""
    smtp_url = SmtpServer(port=mail_port).url
    with app_before(provider_port, {"ASSISTANT_DEBUG_TOOLS": "true", "ASSISTANT_SMTP_URL": smtp_url}) as app:
        yield app


@pytest.fixture
def app(plain_app: AppUnderTest, provider: ScriptedProvider) -> Iterator[AppUnderTest]:
    """Up: a test that killed it need not start it again."""
    if not plain_app.running:
        plain_app.start()
    yield plain_app
    end_what_runs(plain_app, provider)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser without any memory: somebody new."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def tab(app: AppUnderTest, context: BrowserContext) -> Iterator[Tab]:
    """Opens tabs of that browser; an error in the page's own code fails the test."""
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield lambda: ChatPage(context.new_page(), app.url)
    assert errors == []


@pytest.fixture
def chat(provider: ScriptedProvider, tab: Tab) -> ChatPage:
    """A new page, restored: there is no session yet."""
    return tab().open()


@pytest.fixture
def line(app: AppUnderTest) -> Iterator[SlowLine]:
    """The way to the server, which can fail."""
    with SlowLine(app.port) as line:
        yield line


@pytest.fixture
def far_chat(provider: ScriptedProvider, line: SlowLine, context: BrowserContext) -> ChatPage:
    """A new page in front of that line, with a clock that can be moved."""
    page = context.new_page()
    page.clock.install()
    return ChatPage(page, line.url).open()


@pytest.fixture
def strangers(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has never been here."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def second_device(browser: Browser) -> Iterator[Callable[[ChatPage], ChatPage]]:
    """Opens the same owner's page in a browser that shares nothing else."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")

    def opened(chat: ChatPage) -> ChatPage:
        for each in chat.page.context.cookies():
            context.add_cookies([{"name": each["name"], "value": each["value"], "url": chat.url}])
        return ChatPage(context.new_page(), chat.url).open()

    yield opened
    context.close()
