"""The page of one owner and of one reader, for whoever sees little, hears it, or has no mouse."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.e2e.page.refresh.conftest import (
    WINDOW,
    app,
    browser,
    chat,
    context,
    launch,
    mail_port,
    mail_server,
    plain_app,
    playwright,
    provider,
    provider_port,
    tab,
)

__all__ = [
    "app",
    "browser",
    "chat",
    "context",
    "launch",
    "mail_port",
    "mail_server",
    "plain_app",
    "playwright",
    "provider",
    "provider_port",
    "tab",
]


@pytest.fixture
def strangers(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has never been here."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
    yield context
    context.close()
