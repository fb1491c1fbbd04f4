"""The thread: the rows of the messages, and the tasks that fill its answers."""

from typing import Any

import reflex as rx

from assistant.ui.rows import MessageRow, SessionRow, TaskRow
from assistant.ui.states.held import Held


class Thread(Held, rx.State):
    """The messages on the page, oldest first, and where their summary ends; rows never change once shown, and
    are assigned by `show_rows` alone."""

    rows: rx.Field[list[MessageRow]] = rx.field(default_factory=list)
    has_older: rx.Field[bool] = rx.field(False)

    has_newer: rx.Field[bool] = rx.field(False)
    """The branch goes on below the last row."""

    summary: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    fingerprint: str = rx.SessionStorage("", name="held:thread")


class Settled(Held, rx.State):
    """The tasks that have ended, by the id of the answer."""

    tasks: rx.Field[dict[str, TaskRow]] = rx.field(default_factory=dict)
    fingerprint: str = rx.SessionStorage("", name="held:settled")


class Running(Held, rx.State):
    """The tasks that have not ended, by the id of the answer.

    Kept apart from `Settled`, so that a change of one running task resends few rows.
    """

    tasks: rx.Field[dict[str, TaskRow]] = rx.field(default_factory=dict)
    fingerprint: str = rx.SessionStorage("", name="held:running")


class Live(Held, rx.State):
    """Text on its way to the browser, in a room of its own so that nothing else is drawn again."""

    chunks: rx.Field[list[dict[str, object]]] = rx.field(default_factory=list)

    beat: rx.Field[int] = rx.field(0)
    """Rises while nothing else is said, so that the browser hears that the link lives."""

    promised: rx.Field[str] = rx.field("")
    """The fingerprints of the rows that the page should hold, see `promised.py`."""


class Sessions(Held, rx.State):
    """The owner's sessions, newest first: as many as the tab wants to see."""

    rows: rx.Field[list[SessionRow]] = rx.field(default_factory=list)
    has_more: rx.Field[bool] = rx.field(False)
    fingerprint: str = rx.SessionStorage("", name="held:sessions")


PROMISED = (Thread, Settled, Running)


async def promise(tab: Any) -> None:
    """Say what the page should hold, beside news or at a beat; `tab` is any state of it, locked."""
    held = [(await tab.get_state(kind)).fingerprint for kind in PROMISED]
    (await tab.get_state(Live)).promised = "".join(held)
