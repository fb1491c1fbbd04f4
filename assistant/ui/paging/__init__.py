"""The stretch of messages on the page: asks for what comes next near its ends, and holds the place meanwhile.

What the user sees stays where it is when rows come in front of it or go (Case B175). The texts of rows that
went are forgotten, so that a page through which a thousand messages were scrolled is as small as a new one.
"""

import reflex as rx

from assistant.ui.files_beside import files_beside
from assistant.ui.rows import MessageRow

_MODULE = files_beside(__name__, __file__, "asked.js", "paging.js")["paging.js"]


class PagingKeeper(rx.Component):
    """Invisible, one a page, after the scroll keeper."""

    library = _MODULE.importable_path
    tag = "PagingKeeper"

    stands: rx.Var[str]
    """The session, or "new", whose rows are on the page; "" before there are any."""

    rows: rx.Var[list[MessageRow]]
    has_older: rx.Var[bool]
    has_newer: rx.Var[bool]

    most: rx.Var[int]
    """The longest stretch."""

    most_followed: rx.Var[int]
    """To so many rows a page may grow that only follows, before it is cut to a new one."""

    carries: rx.Var[bool]
    """Whether what is asked now reaches the server."""

    on_older: rx.EventHandler[rx.event.passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    """What comes before this message, the first one, is wanted."""

    on_newer: rx.EventHandler[rx.event.passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    """What comes after this message, the last one, is wanted."""

    on_newest: rx.EventHandler[rx.event.no_args_event_spec]  # ty: ignore[invalid-type-form]


paging_keeper = PagingKeeper.create
