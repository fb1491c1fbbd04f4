"""The list of sessions at the side: open, rename, delete, undo; a sheet on phones."""

import reflex as rx
from reflex_base.event import no_args_event_spec, passthrough_event_spec

from assistant.ui import stream_text
from assistant.ui.rows import SessionRow

_FILES = {name: rx.asset(name, shared=True) for name in ("session_list.js", "words.js")}


class _FromModule(rx.Component):
    library = _FILES["session_list.js"].importable_path
    lib_dependencies: list[str] = stream_text.PACKAGES


class SessionList(_FromModule):
    """Newest first; the one that is shown is marked."""

    tag = "SessionList"

    rows: rx.Var[list[SessionRow]]
    sid: rx.Var[str]

    carries: rx.Var[bool]
    """Whether what is asked for now reaches the server."""

    on_open: rx.EventHandler[passthrough_event_spec(str)]  # ty: ignore[invalid-type-form]
    on_rename: rx.EventHandler[passthrough_event_spec(str, str, str)]  # ty: ignore[invalid-type-form]
    """Session, title, key."""

    on_delete: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """Session, key."""

    on_undo: rx.EventHandler[passthrough_event_spec(str, str)]  # ty: ignore[invalid-type-form]
    """Session, key."""


class NewSessionButton(_FromModule):
    """Leaves the session for a new one."""

    tag = "NewSessionButton"

    carries: rx.Var[bool]
    label: rx.Var[str]
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
