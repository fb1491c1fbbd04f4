"""The thread: messages from the oldest shown to the newest, or the empty state with examples."""

import reflex as rx

from assistant.ui import shown
from assistant.ui.components.message import message
from assistant.ui.components.skeleton import skeleton
from assistant.ui.states.older import Older


def thread() -> rx.Component:
    """The conversation column."""
    return rx.el.section(
        rx.cond(
            shown.has_older,
            rx.el.button(
                "Show older messages",
                on_click=Older.load,
                type="button",
                class_name="quiet load-older",
                custom_attrs={"data-testid": "load-older"},
            ),
        ),
        skeleton(),
        rx.foreach(shown.rows, message),
        class_name="thread",
        custom_attrs={"aria-label": "Conversation"},
    )


def notice() -> rx.Component:
    """What the user must know and no answer says; never a modal."""
    return rx.cond(
        shown.notice != "",
        rx.el.p(shown.notice, class_name="notice", role="status", custom_attrs={"data-testid": "notice"}),
    )
