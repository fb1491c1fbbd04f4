"""The thread: messages from the oldest shown to the newest, or the empty state with examples."""

import reflex as rx

from assistant.ui import shown
from assistant.ui.components.message import message
from assistant.ui.components.skeleton import skeleton
from assistant.ui.rows import MessageRow
from assistant.ui.states.paging import Paging
from assistant.ui.summary import summary_line
from assistant.ui.words import said, word


def thread() -> rx.Component:
    """The conversation column."""
    return rx.el.section(
        rx.cond(
            shown.rows.length() > 0,
            rx.el.h1(
                rx.cond(shown.title != "", shown.title, word("page.conversation")), class_name="only-heard"
            ),
        ),
        rx.cond(
            shown.has_older,
            rx.el.button(
                word("page.older"),
                on_click=Paging.older(shown.rows[0]["id"]),
                type="button",
                class_name="quiet load-older",
                custom_attrs={"data-testid": "load-older"},
            ),
        ),
        skeleton(),
        rx.foreach(shown.rows, _entry),
        rx.cond(
            shown.has_newer,
            rx.el.button(
                word("page.newer"),
                on_click=Paging.newer(shown.rows[shown.rows.length() - 1]["id"]),
                type="button",
                class_name="quiet load-newer",
                custom_attrs={"data-testid": "load-newer"},
            ),
        ),
        class_name="thread",
        custom_attrs={"aria-label": word("page.conversation")},
    )


def _entry(row: rx.vars.ObjectVar[MessageRow], index: rx.Var[int]) -> rx.Component:
    """A message, and after the last one that the summary stands for, the line that says so."""
    return rx.fragment(
        message(row, index),
        rx.cond(
            shown.summary["after"] == row["id"],
            summary_line(sid=shown.sid, summary=shown.summary["id"]),
        ),
        key=row["id"],
    )


def notice() -> rx.Component:
    """What the user must know and no answer says; never a modal."""
    return rx.cond(
        shown.notice["code"],
        rx.el.p(
            said(shown.notice), class_name="notice", role="status", custom_attrs={"data-testid": "notice"}
        ),
    )
