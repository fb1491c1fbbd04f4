"""Devices of one owner: the sheet that makes a code for another, and the page that takes it (decision 0019).

The calls are HTTP and not handlers of a state: a code is a secret, which no state and no log should hold, and
using one sets a cookie, which no socket can.
"""

import reflex as rx

from assistant.ui.files_beside import files_beside
from assistant.ui.words import words_keeper

_FILES = files_beside(
    __name__,
    __file__,
    "devices.js",
    "link_page.js",
    "owner_change.js",
    "server.js",
    "devices.css",
)

STYLESHEET = _FILES["devices.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, after those whose colours it uses."""


class DeviceButton(rx.Component):
    """Opens the sheet with a new code."""

    library = _FILES["devices.js"].importable_path
    tag = "DeviceButton"


class OwnerKeeper(rx.Component):
    """Invisible, one a page: loads it again when this browser became another owner's."""

    library = _FILES["devices.js"].importable_path
    tag = "OwnerKeeper"


class LinkPage(rx.Component):
    """Takes a code, and says what will happen before it does."""

    library = _FILES["link_page.js"].importable_path
    tag = "LinkPage"


device_button = DeviceButton.create
owner_keeper = OwnerKeeper.create


def link_page() -> rx.Component:
    """The page `/link`."""
    return rx.fragment(words_keeper(title="link"), LinkPage.create())


NOT_FOR_OTHERS = [
    {"name": "referrer", "content": "no-referrer"},
    {"name": "robots", "content": "noindex"},
]
"""The head of a page whose address may carry a code."""
