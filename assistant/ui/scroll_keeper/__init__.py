"""Where the page is scrolled to: kept over a reload, and at the bottom while an answer grows (DESIGN 7).

The place is an anchor, a message and an offset in it, never pixels of the page; being at the bottom is a
state of its own (Case B173). Only what the user scrolls is kept.
"""

import reflex as rx

from assistant.ui.files_beside import files_beside

_MODULE = files_beside(__name__, __file__, "scroll_keeper.js")["scroll_keeper.js"]


class ScrollKeeper(rx.Component):
    """Invisible, one a page; keeps the window's place by session in sessionStorage `scroll:<sid>`."""

    library = _MODULE.importable_path
    tag = "ScrollKeeper"

    sid: rx.Var[str]
    """The session on the page; "" for a new one."""

    ready: rx.Var[str]
    """"" before its rows are on the page."""


scroll_keeper = ScrollKeeper.create


class ToNewest(rx.Component):
    """A way down to the newest message, while it is far below."""

    library = _MODULE.importable_path
    tag = "ToNewest"


to_newest = ToNewest.create
