"""The shapes that the API answers with (DESIGN 11): fields may be added, never renamed."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from assistant.domain import message, records, session, task, tool_call
from assistant.domain.transcript import Part as DomainPart
from assistant.domain.transcript import PartKind
from assistant.services.queueing import Waiting as QueuedSend
from assistant.services.restoring import Changes as RestoredChanges
from assistant.services.restoring import Snapshot as RestoredSnapshot
from assistant.services.turns import Sent as StoredSend

_SESSION = "01932f5a-0000-7000-8000-000000000001"
_QUESTION = "01932f5a-0000-7000-8000-000000000002"
_ANSWER = "01932f5a-0000-7000-8000-000000000003"
_TASK = "01932f5a-0000-7000-8000-000000000004"
_SUMMARY = "01932f5a-0000-7000-8000-000000000005"


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and a Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Time = Annotated[
    datetime,
    PlainSerializer(iso, return_type=str),
    Field(json_schema_extra={"format": "date-time"}, examples=["2025-05-05T12:00:00.123Z"]),
]


class Shape(BaseModel):
    """What all shapes share: made from the records, attribute by attribute."""

    model_config = ConfigDict(from_attributes=True)


class Owner(Shape):
    """Who a request belongs to."""

    id: str = Field(examples=[_SESSION])
    kind: records.OwnerKind
    name: str | None


class Part(Shape):
    """A range `[start, end)` of a text in code points; a tool call has length zero and a `call_id`."""

    kind: PartKind
    start: int
    end: int
    call_id: str | None = Field(default=None, exclude_if=lambda value: value is None)


class Failure(Shape):
    """Why a task failed: a stable code, and a sentence for people."""

    code: str = Field(examples=["provider_refused"])
    message: str


class ToolCall(Shape):
    """One call that the model asked for; `arguments` is JSON text, `offset` where it stands in the answer.

    A decision names the `arguments_hash`. `outcome_unknown`: it may or may not have been carried out.
    `retry_of` is the call in whose place this one was made.
    """

    id: str
    name: str
    arguments: str
    arguments_hash: str
    offset: int
    state: tool_call.ToolCallState
    reason: tool_call.ToolCallReason | None
    result: str | None
    needs_decision: bool
    decision: tool_call.Decision | None
    decision_reason: str | None
    decided_at: Time | None
    decided_by: str | None
    decided_on: str | None
    expires_at: Time | None
    retry_of: str | None
    idempotent: bool
    outcome_unknown: bool
    started_at: Time | None
    finished_at: Time | None


class Task(Shape):
    """The work that answers one message; `offset` is the length of its stored text in code points."""

    id: str = Field(examples=[_TASK])
    session_id: str = Field(examples=[_SESSION])
    question_id: str = Field(examples=[_QUESTION])
    answer_id: str = Field(examples=[_ANSWER])
    state: task.TaskState
    reason: task.TaskReason | None
    attempt: int
    offset: int
    error: Failure | None
    created_at: Time
    finished_at: Time | None
    tool_calls: list[ToolCall]
    version: int


class Message(Shape):
    """One message; the text of an unfinished answer is the text so far."""

    id: str = Field(examples=[_ANSWER])
    parent_id: str | None = Field(examples=[_QUESTION])
    siblings: list[str]
    role: message.Role
    text: str
    parts: list[Part]
    position: int
    created_at: Time
    task_id: str | None = Field(examples=[_TASK])
    attachments: list[str]
    version: int


class Session(Shape):
    """One conversation; `leaf_id` names the last message of the chosen branch."""

    id: str = Field(examples=[_SESSION])
    title: str
    state: session.SessionState
    model: str | None
    parameters: dict[str, Any]
    leaf_id: str | None
    version: int
    created_at: Time
    updated_at: Time


class Sessions(Shape):
    """A page of sessions, newest first; `next` goes into `after`, null at the end."""

    sessions: list[Session]
    next: str | None


class Deleted(Shape):
    """A session that is gone for everybody; until that time an undo brings it back."""

    session_id: str = Field(examples=[_SESSION])
    undo_until: Time


class Queued(Shape):
    """A message that waits for its turn; `paused`: nothing is sent until the user says so."""

    key: str = Field(examples=["a5c0a1c4"], description="The Idempotency-Key under which it was sent.")
    text: str
    position: int
    created_at: Time
    paused: bool


class Summary(Shape):
    """What a model wrote of the chosen branch through the message `through_id`, and is told instead."""

    id: str = Field(examples=[_SUMMARY])
    through_id: str = Field(examples=[_ANSWER])
    text: str
    model: str | None
    created_at: Time


class Snapshot(Shape):
    """A page of the chosen branch, oldest first, with every unfinished task whole, and the queue.

    `summary` stands for the oldest messages of the branch where they do not fit the model any more.
    """

    session: Session
    messages: list[Message]
    tasks: list[Task]
    has_older: bool
    queued: list[Queued]
    summary: Summary | None


class Changes(Shape):
    """What is newer than a version; `session` is null when nothing is.

    `queued` is the whole queue and `summary` that of the chosen branch, changed or not, unless `session` is
    null.
    """

    version: int
    session: Session | None
    messages: list[Message]
    tasks: list[Task]
    removed: list[str]
    queued: list[Queued]
    summary: Summary | None


class Discarded(Shape):
    """The session whose chosen branch has no summary any more."""

    session_id: str = Field(examples=[_SESSION])


class Sent(Shape):
    """The ids that an accepted send made; the same for every repeat of it."""

    session_id: str = Field(examples=[_SESSION])
    message_id: str = Field(examples=[_QUESTION])
    answer_id: str = Field(examples=[_ANSWER])
    task_id: str = Field(examples=[_TASK])


class Waiting(Shape):
    """An accepted send that waits for its turn in its session: its ids are made then."""

    session_id: str = Field(examples=[_SESSION])
    message_id: None = None
    answer_id: None = None
    task_id: None = None
    queued: Literal[True] = True


SEND_EXAMPLES = {
    "sent": {
        "value": {
            "session_id": _SESSION,
            "message_id": _QUESTION,
            "answer_id": _ANSWER,
            "task_id": _TASK,
        }
    },
    "queued": {
        "value": {
            "session_id": _SESSION,
            "message_id": None,
            "answer_id": None,
            "task_id": None,
            "queued": True,
        }
    },
}
"""The two answers to a send, for the document."""


class NewAnswer(Shape):
    """The sibling answer of a retry or a continue, and the task that fills it."""

    task_id: str = Field(examples=[_TASK])
    answer_id: str = Field(examples=[_ANSWER])


class KeyedRequest(Shape):
    """What became of an idempotency key; `result` has the ids that it made."""

    kind: records.WishKind | None
    state: records.KeyState
    result: dict[str, Any] | None


class CatchUp(Shape):
    """One read of a task's text: what stands from `offset` to `next`, and where that is.

    `offset` 0 with the whole text replaces what the reader shows. `parts` cover the whole text, and
    `crc` is the unsigned CRC-32 of its UTF-8. `closed`: nothing more will ever come.
    """

    text: str
    offset: int
    next: int
    attempt: int
    state: task.TaskState
    reason: task.TaskReason | None
    closed: bool
    parts: list[Part]
    crc: int


EVENT: dict[str, Any] = {
    "type": "object",
    "description": "One server-sent event; `id` is there when it moves the reader's place.",
    "properties": {
        "event": {"enum": ["text", "replace", "state", "gap", "closed", "beat"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
        "id": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+$"},
    },
    "required": ["event", "data"],
}
"""What each event of a stream looks like, for the document; `sse` writes them."""


class Health(Shape):
    """The server answers and is ready."""

    status: str = Field(examples=["ok"])


def sent_of(outcome: StoredSend | QueuedSend) -> Sent | Waiting:
    return (Waiting if isinstance(outcome, QueuedSend) else Sent).model_validate(outcome)


def session_of(record: session.Session) -> Session:
    return Session.model_validate(record)


def task_of(record: task.Task) -> Task:
    return Task.model_validate(record)


def snapshot_of(snapshot: RestoredSnapshot) -> Snapshot:
    return Snapshot.model_validate(snapshot)


def changes_of(changes: RestoredChanges) -> Changes:
    return Changes.model_validate(changes)


def parts_of(parts: tuple[DomainPart, ...]) -> list[Part]:
    return [Part.model_validate(part) for part in parts]
