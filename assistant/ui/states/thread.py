"""The thread: the rows of the messages, and the tasks that fill its answers."""

import reflex as rx

from assistant.ui.rows import MessageRow, SessionRow, TaskRow


class Thread(rx.State):
    """The messages on the page, oldest first; rows never change once shown."""

    rows: rx.Field[list[MessageRow]] = rx.field(default_factory=list)
    has_older: rx.Field[bool] = rx.field(False)


class Settled(rx.State):
    """The tasks that had ended when the page was restored, by the id of the answer."""

    tasks: rx.Field[dict[str, TaskRow]] = rx.field(default_factory=dict)


class Running(rx.State):
    """The tasks that ran at the restore or began since, by the id of the answer.

    Kept apart from `Settled`, so that a change of one running task resends few rows.
    """

    tasks: rx.Field[dict[str, TaskRow]] = rx.field(default_factory=dict)


class Live(rx.State):
    """Text on its way to the browser, in a room of its own so that nothing else is drawn again."""

    chunks: rx.Field[list[dict[str, object]]] = rx.field(default_factory=list)

    beat: rx.Field[int] = rx.field(0)
    """Rises while nothing else is said, so that the browser hears that the link lives."""


class Sessions(rx.State):
    """The owner's sessions, newest first."""

    rows: rx.Field[list[SessionRow]] = rx.field(default_factory=list)
