"""Where the page is scrolled to: kept over a reload, and at the bottom while an answer grows (DESIGN 7).

The place is an anchor, a message and an offset in it, never pixels of the page; being at the bottom is a
state of its own (Case B173). Only what the user scrolls is kept.
"""

import reflex as rx

_MODULE = rx.asset("scroll_keeper.js", shared=True)


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

    label: rx.Var[str]


to_newest = ToNewest.create
