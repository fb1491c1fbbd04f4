"""Many tabs of one browser, before the app and the provider of the refresh tests."""

from tests.e2e.page.refresh.conftest import (
    app,
    browser,
    chat,
    context,
    launch,
    mail_port,
    plain_app,
    playwright,
    provider,
    provider_port,
    second_device,
    tab,
)

__all__ = [
    "app",
    "browser",
    "chat",
    "context",
    "launch",
    "mail_port",
    "plain_app",
    "playwright",
    "provider",
    "provider_port",
    "second_device",
    "tab",
]
