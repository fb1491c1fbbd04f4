"""One message of the thread: its text, and under an answer what became of it and what can be done."""

from typing import cast

import reflex as rx

from assistant.ui import shown
from assistant.ui.composer import edit_button
from assistant.ui.open_parts import folded
from assistant.ui.rows import COMPLETE, CallRow, MessageRow, TaskRow
from assistant.ui.states.wishes import Wishes
from assistant.ui.stream_text import copy_message, stream_text
from assistant.ui.times import message_time
from assistant.ui.wish import siblings, wish_button
from assistant.ui.words import failed, word


def message(row: rx.vars.ObjectVar[MessageRow], index: rx.Var[int]) -> rx.Component:
    """The message of a row; its text comes by itself, see `stream_text`."""
    task = _task_of(row)
    is_last = (index == shown.rows.length() - 1) & ~shown.has_newer
    return rx.el.article(
        rx.el.h2(
            rx.cond(row["role"] == "user", word("message.you"), word("message.assistant")),
            class_name="only-heard",
        ),
        stream_text(
            message_id=row["id"],
            task_id=row["task_id"],
            role=row["role"],
            state=rx.cond(task, task["state"], ""),
            reason=rx.cond(task, task["reason"], ""),
            live=rx.cond(task, task["live"], False),
            calls=rx.cond(task, task["calls"], None).to(list[CallRow]),
            busy=(shown.busy_task != "") | ~is_last,
            on_decide=Wishes.decide,
            on_mark_done=Wishes.mark_done,
            on_run_again=Wishes.run_again,
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
    """The task that fills this answer, null for a user's message; one that is not told ended complete."""
    answer = row["id"]
    complete = rx.Var.create({"id": row["task_id"], **COMPLETE})
    untold = rx.cond(row["role"] == "assistant", complete, None)
    settled = rx.cond(shown.settled.contains(answer), shown.settled[answer], untold)
    task = rx.cond(shown.running.contains(answer), shown.running[answer], settled)
    return cast("rx.vars.ObjectVar[TaskRow]", task.to(dict))


def _ending(task: rx.vars.ObjectVar[TaskRow], is_last: rx.Var[bool]) -> rx.Component:
    return rx.fragment(
        rx.match(
            task["reason"],
            # The card of the call in doubt says it.
            (
                "interrupted",
                rx.cond(task["error_code"] != "outcome_unknown", _rule(word("message.interrupted"))),
            ),
            ("stopped", _rule(word("message.youStopped"))),
            ("length", _rule(word("message.length"))),
            ("timeout", _failure(word("message.timeout"), task)),
            ("error", _failure(word("message.error"), task)),
            ("expired", _rule(word("message.expired"))),
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
                        label=rx.cond(task["reason"] == "expired", "message.askAgain", "message.carryOn"),
                        on_press=lambda key: Wishes.carry_on(task["id"], key),
                    ),
                ),
                rx.cond(
                    task["can_retry"],
                    wish_button(
                        kind="retry",
                        about=task["id"],
                        name="retry",
                        label="message.retry",
                        on_press=lambda key: Wishes.retry(task["id"], key),
                    ),
                ),
                class_name="actions",
            ),
        ),
    )


def _rule(words: rx.Var[str]) -> rx.Component:
    return rx.el.p(words, class_name="ended", role="status")


def _failure(words: rx.Var[str], task: rx.vars.ObjectVar[TaskRow]) -> rx.Component:
    return rx.el.div(
        rx.el.p(words, class_name="failed-title"),
        rx.el.p(failed(task["error_code"], task["error_quoted"]), custom_attrs={"data-testid": "error"}),
        folded(
            word("message.details"),
            rx.el.code(task["error_code"], ": ", task["error"]),
            name=task["id"].to(str),
        ),
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
                label="message.regenerate",
                class_name="icon-button",
                disabled=shown.busy_task != "",
                on_press=lambda key: Wishes.retry(task["id"], key),
            ),
        ),
        rx.cond(task & task["live"], rx.fragment(), copy_message(message=row["id"])),
        message_time(at=row["created_at"]),
        class_name="tools",
    )
