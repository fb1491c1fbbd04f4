"""What a page says in its own words, and which of them are of another language."""

import re
from pathlib import Path

from playwright.sync_api import Page

_READ = Path(__file__).with_suffix(".js").read_text("utf-8")

CONTENTS = ".st-user, .st-block, .st-plain, .tc-arguments, .tc-name, code, pre, option, .dv-code, .dv-link"
"""What people, models and programs wrote."""

NAMES = {
    *(
        "English",
        "Chrome",
        "Linux",
        "Markdown",
        "JSON",
        "MB",
        "GMT",
        "UTC",
        "Ctrl",
        "Shift",
        "K",
        "O",
        "Enter",
        "Esc",
        "XXXX",
    ),
    *("ada@example.org", "scripted"),
}
"""Names of things: languages, programs, formats, zones, keys, models, and of whom a mail is sent to."""

_LATIN = re.compile(r"[A-Za-z][A-Za-z@.]*")


def said(page: Page) -> list[tuple[str, str]]:
    """All that can be seen and heard now, with where it stands."""
    return [(where, words) for where, words in page.evaluate(_READ, CONTENTS)]


def latin(page: Page, *more: str) -> list[tuple[str, str]]:
    """What of it is no Chinese, but for names and `more` of them."""
    allowed = NAMES | set(more)
    return [(where, words) for where, words in said(page) if set(_LATIN.findall(words)) - allowed]
