"""One message of the thread: its text, and under an answer what became of it and what can be done."""

from typing import cast

import reflex as rx

from assistant.ui import shown
from assistant.ui.components.open_parts import folded
from assistant.ui.composer import edit_button
from assistant.ui.rows import MessageRow, TaskRow
from assistant.ui.states.wishes import Wishes
from assistant.ui.stream_text import copy_message, stream_text
from assistant.ui.wish import siblings, wish_button


def message(row: rx.vars.ObjectVar[MessageRow], index: rx.Var[int]) -> rx.Component:
    """The message of a row; its text comes by itself, see `stream_text`."""
    task = _task_of(row)
    is_last = index == shown.rows.length() - 1
    return rx.el.article(
        rx.el.h2(rx.cond(row["role"] == "user", "You said", "The assistant said"), class_name="only-heard"),
        stream_text(
            message_id=row["id"],
            task_id=row["task_id"],
            role=row["role"],
            state=rx.cond(task, task["state"], ""),
            reason=rx.cond(task, task["reason"], ""),
            live=rx.cond(task, task["live"], False),
        ),
        rx.cond(task, _ending(task, is_last), rx.fragment()),
        _tools(row, task),
        key=row["id"],
        class_name=rx.cond(row["role"] == "user", "message message-user", "message message-answer"),
        custom_attrs={
            "data-testid": "message",
            "data-role": row["role"],
            "data-message-id": row["id"],
            "data-created-at": row["created_at"],
        },
    )


def _task_of(row: rx.vars.ObjectVar[MessageRow]) -> rx.vars.ObjectVar[TaskRow]:
    """The task that fills this answer, undefined for a user's message."""
    answer = row["id"]
    task = rx.cond(shown.running.contains(answer), shown.running[answer], shown.settled[answer])
    return cast("rx.vars.ObjectVar[TaskRow]", task.to(dict))


def _ending(task: rx.vars.ObjectVar[TaskRow], is_last: rx.Var[bool]) -> rx.Component:
    return rx.fragment(
        rx.match(
            task["reason"],
            ("interrupted", _rule("The server stopped here.")),
            ("stopped", _rule("You stopped this answer.")),
            ("length", _rule("The model's length limit was reached.")),
            ("timeout", _failure("The model took too long.", task)),
            ("error", _failure("This answer failed.", task)),
            ("expired", _rule("Nobody decided in time.")),
            rx.fragment(),
        ),
        rx.cond(
            is_last & (task["can_retry"] | task["can_continue"]),
            rx.el.div(
                rx.cond(
                    task["can_continue"],
                    wish_button(
                        kind="continue",
                        about=task["id"],
                        name="continue",
                        label="Continue",
                        on_press=lambda key: Wishes.carry_on(task["id"], key),
                    ),
                ),
                rx.cond(
                    task["can_retry"],
                    wish_button(
                        kind="retry",
                        about=task["id"],
                        name="retry",
                        label="Try again",
                        on_press=lambda key: Wishes.retry(task["id"], key),
                    ),
                ),
                class_name="actions",
            ),
        ),
    )


def _rule(words: str) -> rx.Component:
    return rx.el.p(words, class_name="ended", role="status")


def _failure(words: str, task: rx.vars.ObjectVar[TaskRow]) -> rx.Component:
    return rx.el.div(
        rx.el.p(words, class_name="failed-title"),
        rx.el.p(task["error"], custom_attrs={"data-testid": "error"}),
        folded("Details", rx.el.code(task["error_code"]), name=task["id"].to(str)),
        class_name="failed",
        role="status",
    )


def _tools(row: rx.vars.ObjectVar[MessageRow], task: rx.vars.ObjectVar[TaskRow]) -> rx.Component:
    """What can be done with a message: on hover and focus, and always where there is no hovering."""
    return rx.el.div(
        siblings(message=row["id"], siblings=row["siblings"], on_choose=Wishes.choose),
        rx.cond(row["role"] == "user", edit_button(message=row["id"])),
        rx.cond(
            task & ~task["live"] & ~task["can_retry"],
            wish_button(
                rx.icon("refresh-cw", size=16, aria_hidden="true"),
                kind="retry",
                about=task["id"],
                name="regenerate",
                label="Answer again",
                class_name="icon-button",
                disabled=shown.busy_task != "",
                on_press=lambda key: Wishes.retry(task["id"], key),
            ),
        ),
        rx.cond(task & task["live"], rx.fragment(), copy_message(message=row["id"])),
        class_name="tools",
    )
