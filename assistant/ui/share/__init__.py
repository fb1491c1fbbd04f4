"""Sharing a session: the button and its sheet for the owner, and what keeps a reader's page.

`ShareButton` asks how it stands when a session is shown and whenever its sheet is opened; making a link and
taking it back are wishes of one click (`ui/wish`). `SharedKeeper` keeps what a reader's page shows over a
reload, apart from everything that the reader's own sessions keep, and forgets it when the link ends.
"""

from typing import Any

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData
from reflex_base.event import passthrough_event_spec

from assistant.ui import stream_text
from assistant.ui.files_beside import files_beside
from assistant.ui.rows import MessageRow
from assistant.ui.states.shared import SharedTaskRow
from assistant.ui.states.shares import ShareRow

_FILES = files_beside(
    __name__, __file__, "share_button.js", "share_sheet.js", "shared_keeper.js", "share.css"
)

STYLESHEET = _FILES["share.css"].importable_path.removeprefix("$/public")
"""For `rx.App(stylesheets=[...])`, as the one of `stream_text`."""


class ShareButton(rx.Component):
    """A quiet button, and the sheet that it opens; nothing while there is no session."""

    library = _FILES["share_button.js"].importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES
    tag = "ShareButton"

    sid: rx.Var[str]

    share: rx.Var[ShareRow]
    """How it stands, of the session that it names."""

    carries: rx.Var[bool]
    """Whether what is asked for now reaches the server."""

    on_look: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    on_share: rx.EventHandler[passthrough_event_spec(str, bool, str)]  # ty: ignore[invalid-type-form]
    """Session, whether with arguments, key."""

    on_unshare: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """Session, key."""


class SharedKeeper(rx.Component):
    """Invisible, one a reader's page, before whatever it keeps."""

    library = _FILES["shared_keeper.js"].importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES
    tag = "SharedKeeper"

    ready: rx.Var[str]
    title: rx.Var[str]
    rows: rx.Var[list[MessageRow]]
    tasks: rx.Var[dict[str, SharedTaskRow]]
    has_older: rx.Var[bool]


def kept(name: str, type_: Any) -> rx.Var[Any]:
    """What a reader's page showed before it was loaded again, until the server has spoken."""
    return rx.Var(
        f"keptShared.{name}",
        _var_type=type_,
        _var_data=VarData(
            imports={_FILES["shared_keeper.js"].importable_path: [ImportVar(tag="useKeptShared")]},
            hooks={"const keptShared = useKeptShared();": None},
        ),
    )


share_button = ShareButton.create
shared_keeper = SharedKeeper.create
