"""Composer and outbox alone in a browser; the test is the server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.support import composer_page
from tests.support.browsers import launched, needed
from tests.support.composer_page import ServedPage

Tab = Callable[..., ServedPage]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The components and their page, bundled."""
    needed()
    return composer_page.build(tmp_path_factory.mktemp("composer-page"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for a module: while it lives, no test of the same thread may run an event loop."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser without any memory; an error in one of its pages fails the test."""
    context = browser.new_context()
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield context
    context.close()
    assert errors == []


@pytest.fixture
def open_tab(built: Path, context: BrowserContext) -> Tab:
    """Opens a tab of that browser, at a query if need be; nothing is restored in it yet."""
    return lambda query="", **more: ServedPage(context, built, query, **more)


@pytest.fixture
def new(open_tab: Tab) -> ServedPage:
    """A tab that shows a new session, restored and connected."""
    tab = open_tab()
    tab.set(ready="new")
    return tab


@pytest.fixture
def tab(open_tab: Tab) -> ServedPage:
    """A tab that shows the session `s-1`, restored and connected."""
    tab = open_tab("?sid=s-1")
    tab.set(sid="s-1", ready="s-1")
    return tab
