"""The list of sessions at the side, and the way to a new one."""

import reflex as rx

from assistant.ui import shown
from assistant.ui.rows import SessionRow
from assistant.ui.states.restore import Restore


def sidebar() -> rx.Component:
    """Sessions, newest first; the one that is shown is marked."""
    return rx.el.nav(
        rx.el.div(
            rx.el.span("Assistant", class_name="brand"),
            rx.el.button(
                "New session",
                on_click=Restore.new_session,
                type="button",
                class_name="quiet new-session",
                custom_attrs={"data-testid": "new-session"},
            ),
            class_name="sidebar-head",
        ),
        rx.el.ul(rx.foreach(shown.sessions, _session), class_name="sessions"),
        class_name="sidebar",
        custom_attrs={"aria-label": "Sessions"},
    )


def _session(row: rx.vars.ObjectVar[SessionRow]) -> rx.Component:
    return rx.el.li(
        rx.el.a(
            row["title"],
            href="/?sid=" + row["id"].to(str),
            on_click=Restore.open_session(row["id"]).prevent_default,
            class_name=rx.cond(row["id"] == shown.sid, "session session-shown", "session"),
            custom_attrs={
                "data-testid": "session-item",
                "data-session-id": row["id"],
                "aria-current": rx.cond(row["id"] == shown.sid, "page", "false"),
            },
        ),
        key=row["id"],
    )
