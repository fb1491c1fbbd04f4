"""A real page in a browser, and beside it the page of somebody else, from another origin of this machine."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext

from tests.e2e.page.permissions.foreign_site import ForeignSite
from tests.e2e.page.refresh.conftest import (
    Tab,
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
)
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage

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
]


@pytest.fixture
def tab(app: AppUnderTest, context: BrowserContext) -> Tab:
    """Opens tabs of that browser. What a page of ours says in a foreign frame, where it may store nothing,
    is no error of the page that the user looks at."""
    return lambda: ChatPage(context.new_page(), app.url)


@pytest.fixture
def foreign_site() -> Iterator[ForeignSite]:
    with ForeignSite() as site:
        yield site
