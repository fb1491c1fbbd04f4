"""The page `/shared/<token>`: a session as others may read it, and nothing that changes anything."""

from typing import Any, cast

import reflex as rx

from assistant.ui import link, share
from assistant.ui.rows import CallRow, MessageRow
from assistant.ui.scroll_keeper import scroll_keeper, to_newest
from assistant.ui.states.shared import Shared, SharedLive, SharedTaskRow
from assistant.ui.states.shared_follow import GONE, SHARED, SharedFollow
from assistant.ui.stream_text import chunk_room, copy_message, stream_feed, stream_text
from assistant.ui.times import message_time
from assistant.ui.words import word, words_keeper

FORBIDS_ROBOTS = [{"name": "robots", "content": "noindex, nofollow"}]

_is_shown = Shared.ready == SHARED
_is_gone = Shared.ready == GONE


def _shown(restored: Any, name: str, type_: Any) -> Any:
    return rx.cond(Shared.ready != "", restored, share.kept(name, type_)).to(type_)


_title = _shown(Shared.title, "title", str)
_rows = _shown(Shared.rows, "rows", list[MessageRow])
_tasks: rx.vars.ObjectVar[dict[str, SharedTaskRow]] = _shown(Shared.tasks, "tasks", dict[str, SharedTaskRow])
_has_older = _shown(Shared.has_older, "has_older", bool)


def shared_page() -> rx.Component:
    """Title, messages, calls, and live text; or that the link does not work."""
    return rx.fragment(
        words_keeper(title="shared"),
        share.shared_keeper(
            ready=Shared.ready,
            title=Shared.title,
            rows=Shared.rows,
            tasks=Shared.tasks,
            has_older=Shared.has_older,
        ),
        chunk_room(SharedLive, "chunks"),
        stream_feed(sid="", ready=Shared.ready, on_missed=SharedFollow.missed),
        rx.cond(_is_gone, _gone(), _read()),
    )


def _gone() -> rx.Component:
    return rx.el.main(
        rx.el.h1(word("shared.gone")),
        class_name="shared-gone",
        custom_attrs={"data-testid": "shared-gone"},
    )


def _read() -> rx.Component:
    return rx.el.main(
        # A link that ended is not asked about any more, and a silent server is no loss then.
        link.LinkKeeper.create(restored_on=Shared.restored_on, unknown_on="", ready=Shared.ready),
        scroll_keeper(sid="", ready=rx.cond(_is_shown | (_rows.length() > 0), "new", "")),
        rx.cond(
            _rows.length() > 0,
            rx.el.header(
                rx.el.h1(_title, custom_attrs={"data-testid": "shared-title"}, dir="auto"),
                rx.el.p(word("shared.about")),
                class_name="shared-head",
            ),
        ),
        rx.el.section(
            rx.cond(
                _is_shown & _has_older,
                rx.el.button(
                    word("page.older"),
                    on_click=SharedFollow.older,
                    type="button",
                    class_name="quiet load-older",
                    custom_attrs={"data-testid": "load-older"},
                ),
            ),
            rx.foreach(_rows, _message),
            class_name="thread",
            custom_attrs={"aria-label": word("page.conversation")},
        ),
        rx.el.div(to_newest(), link.connection(), class_name="foot"),
        class_name="shared",
        custom_attrs={"data-testid": "shared"},
    )


def _message(row: rx.vars.ObjectVar[MessageRow]) -> rx.Component:
    told = rx.cond(_tasks.contains(row["id"]), _tasks[row["id"]], None)
    task = cast("rx.vars.ObjectVar[SharedTaskRow]", told.to(dict))
    return rx.el.article(
        rx.el.h2(
            rx.cond(row["role"] == "user", word("message.owner"), word("message.assistant")),
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
            busy=True,
        ),
        rx.cond(task, _ending(task), rx.fragment()),
        rx.el.div(
            rx.cond(task & task["live"], rx.fragment(), copy_message(message=row["id"])),
            message_time(at=row["created_at"]),
            class_name="tools",
        ),
        key=row["id"],
        class_name=rx.cond(row["role"] == "user", "message message-user", "message message-answer"),
        custom_attrs={
            "data-testid": "message",
            "data-role": row["role"],
            "data-message-id": row["id"],
            "data-created-at": row["created_at"],
        },
    )


def _ending(task: rx.vars.ObjectVar[SharedTaskRow]) -> rx.Component:
    """What became of an answer that is not complete; not why, which is the owner's."""
    endings = ("interrupted", "stopped", "length", "timeout", "error", "expired")
    return rx.fragment(
        rx.match(
            task["reason"],
            *(
                (each, rx.el.p(word(f"message.{each}"), class_name="ended", role="status"))
                for each in endings
            ),
            rx.fragment(),
        )
    )
