"""The list of sessions at the side, and the way to a new one."""

import reflex as rx

from assistant.ui import link, shown
from assistant.ui.session_list import new_session_button, session_list, sheet_backdrop, sheet_button
from assistant.ui.states.restore import Restore
from assistant.ui.states.wishes import Wishes


def sidebar() -> rx.Component:
    """Sessions, newest first; on a phone a bar with a sheet."""
    return rx.el.nav(
        rx.el.div(
            sheet_button(),
            rx.el.span("Assistant", class_name="brand"),
            new_session_button(carries=link.carries, label="New session", on_new=Restore.new_session),
            class_name="sidebar-head",
        ),
        sheet_backdrop(),
        session_list(
            rows=shown.sessions,
            sid=shown.sid,
            carries=link.carries,
            on_open=Restore.open_session,
            on_rename=Wishes.rename,
            on_delete=Wishes.delete,
            on_undo=Wishes.undo_delete,
        ),
        class_name="sidebar",
        custom_attrs={"aria-label": "Sessions"},
    )
