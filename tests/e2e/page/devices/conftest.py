"""Several devices before one embedded process: browsers that share nothing, each somebody of its own."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ViewportSize

from tests.e2e.page.refresh.conftest import (
    WINDOW,
    app,
    browser,
    chat,
    context,
    launch,
    line,
    mail_port,
    mail_server,
    plain_app,
    playwright,
    provider,
    provider_port,
    second_device,
    tab,
)
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage

__all__ = [
    "app",
    "browser",
    "chat",
    "context",
    "launch",
    "line",
    "mail_port",
    "mail_server",
    "plain_app",
    "playwright",
    "provider",
    "provider_port",
    "second_device",
    "tab",
]

Device = Callable[[ChatPage], ChatPage]
PHONE = ViewportSize(width=390, height=844)


@pytest.fixture
def phone_context(browser: Browser) -> Iterator[BrowserContext]:
    """Another device, of somebody else so far."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture
def phone(app: AppUnderTest, phone_context: BrowserContext) -> Iterator[ChatPage]:
    """Its page; an error in the page's own code fails the test."""
    errors: list[str] = []
    phone_context.on("weberror", lambda error: errors.append(str(error.error)))
    yield ChatPage(phone_context.new_page(), app.url).open()
    assert errors == []
