"""The thread: messages from the oldest shown to the newest, or the empty state with examples."""

import reflex as rx

from assistant.ui.components.message import message
from assistant.ui.components.this_document import is_restored
from assistant.ui.states.older import Older
from assistant.ui.states.page import Page
from assistant.ui.states.thread import Thread


def thread() -> rx.Component:
    """The conversation column."""
    return rx.el.section(
        rx.cond(
            is_restored & Thread.has_older,
            rx.el.button(
                "Show older messages",
                on_click=Older.load,
                type="button",
                class_name="quiet load-older",
                custom_attrs={"data-testid": "load-older"},
            ),
        ),
        rx.cond(is_restored, rx.foreach(Thread.rows, message)),
        class_name="thread",
        custom_attrs={"aria-label": "Conversation"},
    )


def notice() -> rx.Component:
    """What the user must know and no answer says; never a modal."""
    return rx.cond(
        Page.notice != "",
        rx.el.p(Page.notice, class_name="notice", role="status", custom_attrs={"data-testid": "notice"}),
    )
