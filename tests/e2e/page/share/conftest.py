"""An owner's page, and the page that somebody reads who has nothing but a link."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext

from tests.e2e.page.refresh.conftest import (
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
    strangers,
    tab,
)
from tests.e2e.page.share.reading import SharedPage
from tests.support.app_under_test import AppUnderTest

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
    "strangers",
    "tab",
]

Reader = Callable[[str], SharedPage]


@pytest.fixture
def reader(app: AppUnderTest, strangers: BrowserContext) -> Iterator[Reader]:
    """Opens a link in that browser; an error in the page's own code fails the test."""
    errors: list[str] = []
    strangers.on("weberror", lambda error: errors.append(str(error.error)))
    yield lambda token: SharedPage(strangers.new_page(), app.url).at(token)
    assert errors == []
