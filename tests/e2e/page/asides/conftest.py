"""A page before a model that reads little at once and is asked for titles."""

from collections.abc import Iterator

import pytest

from tests.e2e.http.stage import app_before
from tests.e2e.page.refresh.conftest import (
    app,
    browser,
    chat,
    context,
    launch,
    playwright,
    provider,
    provider_port,
    second_device,
    tab,
)
from tests.support.app_under_test import AppUnderTest

__all__ = [
    "app",
    "browser",
    "chat",
    "context",
    "launch",
    "playwright",
    "provider",
    "provider_port",
    "second_device",
    "tab",
]


@pytest.fixture(scope="package")
def plain_app(provider_port: int) -> Iterator[AppUnderTest]:
    """One embedded process."""
    settings = {"CONTEXT_TOKENS": "2048", "TITLES": "true", "TOOLS": "false"}
    environment = {f"ASSISTANT_MODEL_{name}": value for name, value in settings.items()}
    with app_before(provider_port, environment) as app:
        yield app
