"""Wait for what a page of the app says of itself, under its own policy.

Playwright's `wait_for_function` evaluates text inside of the page while it waits, which the policy of our
documents forbids (docs/SECURITY.md); asking again from here needs nothing of the page.
"""

import time
from typing import Any

from playwright.sync_api import Error, Page

ASK_EVERY_MS = 20
WITHIN_MS = 20_000
"""A bound for what has to come; what may take so long and no longer has one of its own."""

_LEFT = ("context was destroyed", "navigat", "Cannot find context")


def until(page: Page, condition: str, *, arg: Any = None, timeout: float = WITHIN_MS) -> None:
    """Return once `condition`, an expression or a function of `arg`, is true, over loads in between."""
    deadline = time.monotonic() + timeout / 1000
    while not _is(page, condition, arg):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} ms: {condition}")
        page.wait_for_timeout(ASK_EVERY_MS)


def _is(page: Page, condition: str, arg: Any) -> bool:
    try:
        return bool(page.evaluate(condition, arg))
    except Error as failure:
        if any(words in failure.message for words in _LEFT):
            return False  # asked while the page was left for the next
        raise
