"""The browser that is installed on this machine, for the tests of the page and for the bench."""

import shutil
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright

WHOLE = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHELL = "chromium-headless-shell"
"""Chromium without its windows, and without a back/forward cache: it takes half the time to load a page."""


def needed(*, whole: bool = False) -> str:
    """The path of a browser, a `whole` one if need be; where there is none the test is skipped aloud."""
    names = WHOLE if whole else (SHELL, *WHOLE)
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip(f"none of {', '.join(names)} on PATH: nothing here was tested in a browser")
    return path


def launched(playwright: Playwright, *, whole: bool = False, **options: Any) -> Browser:
    """Start it; whoever starts it closes it."""
    path = needed(whole=whole)
    return playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], **options)
