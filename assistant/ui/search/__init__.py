"""Search in titles and texts, in the place of the list of sessions; it asks the API (`GET /api/search`)."""

import reflex as rx
from reflex_base.event import passthrough_event_spec

from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "search.js", "search.css")

STYLESHEET = _FILES["search.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, after that of `stream_text`, whose colours it uses."""


class Search(rx.Component):
    """The box, and what was found."""

    library = _FILES["search.js"].importable_path
    tag = "Search"

    sid: rx.Var[str]
    """The session on the page."""

    carries: rx.Var[bool]
    """Whether what is asked for now reaches the server."""

    on_open: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]


search = Search.create
