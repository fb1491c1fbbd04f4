"""Rows: what the page's lists hold of a message, a task and a session; never their texts."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from assistant.domain.errors import IT_SAID
from assistant.domain.message import Message
from assistant.domain.summary import Summary
from assistant.domain.task import Task, TaskReason, TaskState
from assistant.domain.tool_call import MARKED_DONE, ToolCall
from assistant.domain.tools import canonical_json
from assistant.services.listing import Listed
from assistant.services.queueing import Queued

CONTINUABLE = frozenset(TaskReason) - {TaskReason.COMPLETE}

MOST_RESULT_CHARACTERS = 1_000
MOST_ARGUMENT_CHARACTERS = 2_000
CUT = " […]"
"""Ends a text of which the page is told no more."""


class MessageRow(TypedDict):
    """One entry of the thread; only its siblings change once it is shown. A key that would say nothing is
    not there."""

    id: str
    role: str
    created_at: str
    task_id: NotRequired[str]
    """Of an answer: the task that fills it, and no other ever does."""

    client_id: NotRequired[str]
    siblings: NotRequired[list[str]]
    """The ids of all its versions, the oldest first, itself included, where there are several."""


class CallRow(TypedDict):
    """A tool call, drawn at its offset of the answer. A key that would say nothing is not there."""

    id: str
    name: str
    arguments: str
    """JSON, exactly as it is run; long texts in it are cut once there is nothing to decide any more."""

    offset: int
    """Code points of the answer before it."""

    state: str
    reason: NotRequired[str]
    hash: NotRequired[str]
    """Of the arguments: what a decision names. It is there, as `expires_at` is, while it waits for one."""

    expires_at: NotRequired[str]
    decision: NotRequired[str]
    decision_reason: NotRequired[str]
    decided_at: NotRequired[str]
    decided_on: NotRequired[str]
    """The device, as it calls itself."""

    started_at: NotRequired[str]
    finished_at: NotRequired[str]
    result: NotRequired[str]
    unknown: NotRequired[bool]
    """Whether the outcome is unknown, and a person has to look."""

    marked: NotRequired[bool]
    """Whether a person looked and said that it was carried out."""


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
    error_quoted: NotRequired[str]
    """What its provider said itself."""

    calls: NotRequired[list[CallRow]]
    """In the order in which they stand, without those in place of which another was made."""


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
    at: str
    """When it was at work last."""

    mark: NotRequired[str]
    """`running`, `waiting` or `failed`."""


def message_row(message: Message) -> MessageRow:
    """The row of a message."""
    row: MessageRow = {
        "id": message.id,
        "role": message.role.value,
        "created_at": iso(message.created_at),
    }
    if message.task_id:
        row["task_id"] = message.task_id
    if message.client_id:
        row["client_id"] = message.client_id
    if len(message.siblings) > 1:
        row["siblings"] = list(message.siblings)
    return row


COMPLETE = {
    "state": TaskState.DONE.value,
    "reason": TaskReason.COMPLETE.value,
    "live": False,
    "can_retry": False,
    "can_continue": False,
}
"""The rest of the row of a task that is `unsaid`."""


def task_rows(tasks: Iterable[Task]) -> dict[str, TaskRow]:
    """The rows of the tasks, by the id of the answer; without those that are `unsaid`."""
    return {task.answer_id: task_row(task) for task in tasks if not unsaid(task)}


def unsaid(task: Task) -> bool:
    """Whether the answer's own row says all: the page takes an answer whose task is not told for complete."""
    return task.reason is TaskReason.COMPLETE and not task.tool_calls


def task_row(task: Task, *, newest: bool = True) -> TaskRow:
    """The row of a task; only the newest answer of a branch is offered to be tried again."""
    ended_badly = task.state is TaskState.FAILED or task.reason in (TaskReason.STOPPED, TaskReason.LENGTH)
    has_begun = task.offset > 0 or bool(task.tool_calls)
    in_doubt = any(call.outcome_unknown for call in task.tool_calls)
    row: TaskRow = {
        "id": task.id,
        "state": task.state.value,
        "reason": task.reason.value if task.reason else "",
        "attempt": task.attempt,
        "live": not task.closed,
        "error_code": task.error.code if task.error else "",
        "error": task.error.message if task.error else "",
        "can_retry": newest and ended_badly,
        "can_continue": newest and task.reason in CONTINUABLE and has_begun and not in_doubt,
    }
    if task.error and IT_SAID in task.error.message:
        row["error_quoted"] = task.error.message.partition(IT_SAID)[2]
    if task.tool_calls:
        repeated = {call.retry_of for call in task.tool_calls}
        row["calls"] = [call_row(call) for call in task.tool_calls if call.id not in repeated]
    return row


def call_row(call: ToolCall) -> CallRow:
    """The row of a tool call."""
    row: CallRow = {
        "id": call.id,
        "name": call.name,
        "arguments": call.arguments if call.undecided else _gist(call.arguments),
        "offset": call.offset,
        "state": call.state.value,
    }
    if call.reason:
        row["reason"] = call.reason.value
    if call.undecided:
        row["hash"] = call.arguments_hash
        if call.expires_at:
            row["expires_at"] = iso(call.expires_at)
    if call.decision:
        row["decision"] = call.decision.value
    if call.decision_reason:
        row["decision_reason"] = call.decision_reason
    if call.decided_at:
        row["decided_at"] = iso(call.decided_at)
    if call.decided_on:
        row["decided_on"] = call.decided_on
    if call.started_at:
        row["started_at"] = iso(call.started_at)
    if call.finished_at:
        row["finished_at"] = iso(call.finished_at)
    if call.result:
        row["result"] = _shortened(call.result, MOST_RESULT_CHARACTERS)
    if call.outcome_unknown:
        row["unknown"] = True
    if call.result == MARKED_DONE and call.decided_at:
        row["marked"] = True
    return row


def _gist(arguments: str) -> str:
    """The arguments with long texts cut: they are told again with each change of their task."""
    if len(arguments) <= MOST_ARGUMENT_CHARACTERS:
        return arguments
    try:
        members = json.loads(arguments)
    except ValueError:
        members = None
    if not isinstance(members, dict):
        return _shortened(arguments, MOST_ARGUMENT_CHARACTERS)
    return canonical_json({name: _shortened_value(value) for name, value in members.items()})


def _shortened_value(value: Any) -> Any:
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return _shortened(value, MOST_ARGUMENT_CHARACTERS) if isinstance(value, str) else value


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + CUT


def summary_row(summary: Summary | None) -> dict[str, str]:
    """The summary of the chosen branch: its `id`, and the message `after` which what is told whole begins;
    empty without one. The page asks for its text."""
    return {} if summary is None else {"id": summary.id, "after": summary.through_id}


def queued_row(queued: Queued) -> QueuedRow:
    """The row of a message that waits."""
    at = queued.created_at.timestamp() * 1000
    return {"key": queued.key, "text": queued.text, "at": at, "paused": queued.paused}


def session_row(listed: Listed) -> SessionRow:
    """The row of a session."""
    session = listed.session
    row: SessionRow = {"id": session.id, "title": session.title, "at": iso(session.updated_at)}
    if listed.mark:
        row["mark"] = listed.mark.value
    return row


def iso(at: datetime) -> str:
    """ISO 8601, UTC, milliseconds, Z."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
