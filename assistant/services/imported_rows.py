"""The records of an imported session: what the file says, as history of a session of this server.

a task that had not ended  ->  failed (interrupted), with the text that it had
a call that had not begun  ->  failed (stopped): nothing happened
a call that was running    ->  failed (lost): nobody knows
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from assistant.domain.message import Message, Role
from assistant.domain.ports import Clock
from assistant.domain.task import TASK, Task, TaskError, TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCall, ToolCallReason, ToolCallState
from assistant.domain.tools import arguments_hash
from assistant.domain.transcript import Part, PartKind
from assistant.services.session_file import Answer, FileCall, Question


class Rows:
    """Makes the records of one file; `ids` are those of its messages, by number."""

    def __init__(self, owner_id: str, session_id: str, ids: Sequence[str], clock: Clock) -> None:
        self._owner_id = owner_id
        self._session_id = session_id
        self._ids = ids
        self._clock = clock
        self._now = clock.now()

    def message(self, piece: Question | Answer, version: int, calls: Sequence[ToolCall] = ()) -> Message:
        """The message of a piece; `calls` are those of its task, in their order in the file."""
        return Message(
            id=self._ids[piece.number - 1],
            session_id=self._session_id,
            parent_id=None if piece.parent is None else self._ids[piece.parent - 1],
            role=Role(piece.role),
            text=piece.text,
            parts=_parts(piece, calls),
            position=piece.number,
            created_at=piece.created_at,
            version=version,
        )

    def task(self, piece: Answer, version: int) -> Task:
        """The task of an answer, ended, with its calls."""
        told = piece.task
        state, reason = TaskState(told.state), told.reason and TaskReason(told.reason)
        ended = state in TASK.terminal
        task_id = self._clock.id()
        return Task(
            id=task_id,
            session_id=self._session_id,
            owner_id=self._owner_id,
            question_id=self._ids[piece.parent - 1],
            answer_id=self._ids[piece.number - 1],
            state=state if ended else TaskState.FAILED,
            reason=reason if ended else TaskReason.INTERRUPTED,
            attempt=1,
            worker=None,
            offset=len(piece.text),
            prefix=0,
            stop_requested_at=None,
            error=None if told.error is None else TaskError(told.error.code, told.error.message),
            usage=None,
            created_at=told.created_at,
            finished_at=told.finished_at if ended else self._now,
            version=version,
            tool_calls=self._calls(piece, task_id, version),
        )

    def _calls(self, piece: Answer, task_id: str, version: int) -> tuple[ToolCall, ...]:
        ids = [self._clock.id() for _ in piece.tool_calls]
        calls = (self._call(call, ids, task_id, version) for call in piece.tool_calls)
        return tuple(_ended(call, self._now) for call in calls)

    def _call(self, told: FileCall, ids: Sequence[str], task_id: str, version: int) -> ToolCall:
        return ToolCall(
            id=ids[told.number - 1],
            task_id=task_id,
            step=told.step,
            name=told.name,
            arguments=told.arguments,
            arguments_hash=_hash(told.arguments),
            offset=told.offset,
            state=ToolCallState(told.state),
            version=version,
            reason=told.reason and ToolCallReason(told.reason),
            result=told.result,
            needs_decision=told.needs_decision,
            decision=told.decision and Decision(told.decision),
            decision_reason=told.decision_reason,
            decided_at=told.decided_at,
            retry_of=None if told.retry_of is None else ids[told.retry_of - 1],
            idempotent=told.idempotent,
            started_at=told.started_at,
            finished_at=told.finished_at,
            imported=True,
        )


def _parts(piece: Question | Answer, calls: Sequence[ToolCall]) -> tuple[Part, ...]:
    if isinstance(piece, Question):
        return (Part(PartKind.TEXT, 0, len(piece.text)),)
    ids = {number: call.id for number, call in enumerate(calls, 1)}
    return tuple(
        Part(PartKind(part.kind), part.start, part.end, ids.get(part.call or 0)) for part in piece.parts
    )


def _ended(call: ToolCall, now: datetime) -> ToolCall:
    if call.settled:
        return call
    lost = call.state is ToolCallState.EXECUTING
    reason = ToolCallReason.LOST if lost else ToolCallReason.STOPPED
    return replace(call, state=ToolCallState.FAILED, reason=reason, finished_at=now)


def _hash(arguments: str) -> str:
    """As of a call that was asked for here: of the object, or of the text when it is none."""
    try:
        return arguments_hash(json.loads(arguments))
    except (ValueError, RecursionError):
        return hashlib.sha256(arguments.encode()).hexdigest()
