"""What a failed test stood before: its pages, and what its app said until then, beside the failure."""

import json
from collections.abc import Generator

import pytest
from playwright.sync_api import BrowserContext, Error, Page

from tests.support.app_under_test import AppUnderTest

MOST_CHARACTERS = 6_000

_OF_ITSELF = """() => ({
  root: Object.fromEntries([...document.documentElement.attributes].map(({ name, value }) => [name, value])),
  kept: Object.fromEntries(Object.entries(sessionStorage).map(([key, value]) => [key, value.slice(0, 200)])),
})"""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Called by pytest after each phase of a test."""
    report = yield
    if call.when == "call" and report.failed:
        for name, value in item.funcargs.items():
            if isinstance(value, BrowserContext):
                report.sections += [(f"{name}: {page.url}", _said_by(page)) for page in value.pages]
            if isinstance(value, AppUnderTest):
                report.sections.append((f"output of {name}", value.log[-MOST_CHARACTERS:]))
    return report


def _said_by(page: Page) -> str:
    try:
        return json.dumps(page.evaluate(_OF_ITSELF), indent=1)
    except Error as failure:
        return failure.message
