"""The settings of a session, in a small sheet over the composer: model, temperature, instructions, tools.

A change is a wish like any other; until it is stored it is kept by the tab, and on a new page it goes with
the first message (sessionStorage `settings:<sid or new>`).
"""

from typing import Any

import reflex as rx
from reflex_base.event import passthrough_event_spec

from assistant.ui import stream_text
from assistant.ui.files_beside import files_beside

_FILES = files_beside(__name__, __file__, "session_settings.js", "session_settings.css")

STYLESHEET = _FILES["session_settings.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, after that of `composer`, whose colours it uses."""


class SessionSettings(rx.Component):
    """A quiet button that names the model, and its sheet."""

    library = _FILES["session_settings.js"].importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES
    tag = "SessionSettings"

    place: rx.Var[str]
    """The session on the page, "new", or "" before there is any."""

    model: rx.Var[str]
    """As stored; "" for the first of `models`."""

    parameters: rx.Var[dict[str, Any]]
    models: rx.Var[list[str]]
    tools: rx.Var[list[dict[str, Any]]]
    """`{name, asks}`: those that a model may be allowed, and whether a person decides about each call."""

    carries: rx.Var[bool]

    on_configure: rx.EventHandler[passthrough_event_spec(str, str, dict[str, Any], str)]  # ty: ignore[invalid-type-form]
    """The session, its model, all its parameters, and the wish's key."""


session_settings = SessionSettings.create
