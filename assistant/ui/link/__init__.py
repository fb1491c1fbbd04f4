"""The link between page and server: noticed within ten seconds when it died, told in one quiet line.

Reflex notices a link that closes, not one that falls silent; `link.js` does, by what the server says at least
every `BEAT_SECONDS` (`states/follow`). What is only ready with the link reads `ready` from here.
"""

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

from assistant.ui import shown
from assistant.ui.files_beside import files_beside
from assistant.ui.states.page import Page

_SOCKET = files_beside(__name__, __file__, "socket.js")["socket.js"]
_MODULE = files_beside(__name__, __file__, "link.js")["link.js"]

state: rx.Var[str] = rx.Var(
    "link",
    _var_type=str,
    _var_data=VarData(
        imports={_MODULE.importable_path: [ImportVar(tag="useLink")]},
        hooks={"const link = useLink();": None},
    ),
)
"""`opening`, `catching_up`, `open`, `lost` or `unknown`."""

carries = (state == "open") | (state == "catching_up")
"""What is sent now reaches the server, as far as anybody knows."""

takes = (state != "lost") & (state != "unknown")
"""What is written now can be sent, if only in a moment."""

ready = rx.cond(state == "open", shown.ready, "")
"""The session restored on this very connection, or "new"; "" while none is."""


class _FromModule(rx.Component):
    library = _MODULE.importable_path


class LinkKeeper(_FromModule):
    """Invisible, one a page."""

    tag = "LinkKeeper"

    restored_on: rx.Var[str]
    unknown_on: rx.Var[str]
    ready: rx.Var[str]


class ConnectionLine(_FromModule):
    """The quiet line that says when the link is down; never a modal, never a banner."""

    tag = "ConnectionLine"


def link_keeper() -> rx.Component:
    """Watches the link and brings it back."""
    return LinkKeeper.create(restored_on=Page.restored_on, unknown_on=Page.unknown_on, ready=shown.ready)


connection = ConnectionLine.create
