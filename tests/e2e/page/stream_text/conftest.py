"""The text component alone in a browser, without a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.support import text_page
from tests.support.browsers import launched, needed


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The component and its page, bundled."""
    needed()
    return text_page.build(tmp_path_factory.mktemp("text-page"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for a module: while it lives, no test of the same thread may run an event loop."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


@pytest.fixture
def context(built: Path, browser: Browser) -> Iterator[BrowserContext]:
    """A browser without any memory."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    yield context
    context.close()


@pytest.fixture
def page(built: Path, context: BrowserContext) -> Iterator[Page]:
    """A page with no rows yet; an error in it fails the test."""
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield text_page.opened(context, built)
    assert errors == []
