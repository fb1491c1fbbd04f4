"""Rows: what the page's lists hold of a message, a task and a session; never their texts."""

from datetime import datetime
from typing import TypedDict

from assistant.domain.message import Message
from assistant.domain.session import Session
from assistant.domain.task import Task, TaskReason, TaskState
from assistant.services.queueing import Queued

CONTINUABLE = frozenset(
    {TaskReason.LENGTH, TaskReason.STOPPED, TaskReason.INTERRUPTED, TaskReason.TIMEOUT, TaskReason.ERROR}
)


class MessageRow(TypedDict):
    """One entry of the thread; only its siblings change once it is shown."""

    id: str
    role: str
    created_at: str
    task_id: str
    client_id: str
    siblings: list[str]
    """The ids of all its versions, the oldest first, itself included."""


class TaskRow(TypedDict):
    """A task as the page mirrors it, under the id of the answer that it fills."""

    id: str
    state: str
    reason: str
    attempt: int
    live: bool
    error_code: str
    error: str
    can_retry: bool
    can_continue: bool


class QueuedRow(TypedDict):
    """A message that waits for its turn."""

    key: str
    text: str
    at: float
    """When it was sent, in milliseconds since 1970, as the browser counts."""

    paused: bool


class SessionRow(TypedDict):
    """One entry of the list of sessions."""

    id: str
    title: str
    updated_at: str


def message_row(message: Message) -> MessageRow:
    """The row of a message."""
    return {
        "id": message.id,
        "role": message.role.value,
        "created_at": iso(message.created_at),
        "task_id": message.task_id or "",
        "client_id": message.client_id or "",
        "siblings": list(message.siblings) or [message.id],
    }


def task_row(task: Task, *, newest: bool = True) -> TaskRow:
    """The row of a task; only the newest answer of a branch is offered to be tried again."""
    ended_badly = task.state is TaskState.FAILED or task.reason in (TaskReason.STOPPED, TaskReason.LENGTH)
    return {
        "id": task.id,
        "state": task.state.value,
        "reason": task.reason.value if task.reason else "",
        "attempt": task.attempt,
        "live": not task.closed,
        "error_code": task.error.code if task.error else "",
        "error": task.error.message if task.error else "",
        "can_retry": newest and ended_badly,
        "can_continue": newest and task.reason in CONTINUABLE and task.offset > 0,
    }


def queued_row(queued: Queued) -> QueuedRow:
    """The row of a message that waits."""
    at = queued.created_at.timestamp() * 1000
    return {"key": queued.key, "text": queued.text, "at": at, "paused": queued.paused}


def session_row(session: Session) -> SessionRow:
    """The row of a session."""
    return {"id": session.id, "title": session.title, "updated_at": iso(session.updated_at)}


def iso(at: datetime) -> str:
    """ISO 8601, UTC, milliseconds, Z."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
