"""The page of one owner and of one reader, for whoever sees little, hears it, or has no mouse."""

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
