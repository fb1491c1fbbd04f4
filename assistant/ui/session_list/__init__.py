"""The list of sessions at the side: open, rename, archive, delete, undo, more; a sheet on phones."""

import reflex as rx
from reflex_base.event import no_args_event_spec, passthrough_event_spec

from assistant.ui import stream_text
from assistant.ui.files_beside import files_beside
from assistant.ui.rows import SessionRow

_FILES = files_beside(__name__, __file__, "session_list.js")


class _FromModule(rx.Component):
    library = _FILES["session_list.js"].importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES


class SessionList(_FromModule):
    """Newest first; the one that is shown is marked."""

    tag = "SessionList"

    rows: rx.Var[list[SessionRow]]
    has_more: rx.Var[bool]
    sid: rx.Var[str]

    carries: rx.Var[bool]
    """Whether what is asked for now reaches the server."""

    on_open: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    on_rename: rx.EventHandler[passthrough_event_spec(str, str, str)]  # ty: ignore[invalid-type-form]
    """Session, title, key."""

    on_archive: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """Session, key."""

    on_restore: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """Session, key."""

    on_want: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    """How much of the list is wanted, as `states/listing` reads it."""

    on_delete: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """Session, key."""

    on_undo: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """Session, key."""


class NewSessionButton(_FromModule):
    """Leaves the session for a new one."""

    tag = "NewSessionButton"

    carries: rx.Var[bool]
    on_new: rx.EventHandler[no_args_event_spec]  # ty: ignore[invalid-type-form]


class SheetButton(_FromModule):
    """Opens the list on a phone."""

    tag = "SheetButton"


class SheetBackdrop(_FromModule):
    """What lies beside the open sheet."""

    tag = "SheetBackdrop"


session_list = SessionList.create
new_session_button = NewSessionButton.create
sheet_button = SheetButton.create
sheet_backdrop = SheetBackdrop.create
