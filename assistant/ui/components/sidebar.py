"""The list of sessions at the side, and the way to a new one."""

import reflex as rx

from assistant.ui import link, shown
from assistant.ui.components.sidebar_foot import sidebar_foot
from assistant.ui.search import search
from assistant.ui.session_list import new_session_button, session_list, sheet_backdrop, sheet_button
from assistant.ui.states.listing import Listing
from assistant.ui.states.restore import Restore
from assistant.ui.states.wishes import Wishes
from assistant.ui.words import word


def sidebar() -> rx.Component:
    """Sessions, newest first; on a phone a bar with a sheet."""
    return rx.el.nav(
        rx.el.div(
            sheet_button(),
            rx.el.span(word("page.brand"), class_name="brand"),
            new_session_button(carries=link.carries, on_new=Restore.new_session),
            class_name="sidebar-head",
        ),
        sheet_backdrop(),
        search(sid=shown.sid, carries=link.carries, on_open=Restore.open_session),
        session_list(
            rows=shown.sessions,
            has_more=shown.has_more_sessions,
            sid=shown.sid,
            carries=link.carries,
            on_open=Restore.open_session,
            on_rename=Wishes.rename,
            on_archive=Wishes.archive,
            on_restore=Wishes.unarchive,
            on_delete=Wishes.delete,
            on_undo=Wishes.undo_delete,
            on_want=Listing.want,
        ),
        sidebar_foot(),
        class_name="sidebar",
        custom_attrs={"aria-label": word("page.sessions")},
    )
