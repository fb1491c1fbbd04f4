"""Task rows and their tool calls as the domain's records; the text of a task is never among them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.engine import Row

from assistant.domain.task import Task, TaskError, TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCall, ToolCallReason, ToolCallState
from assistant.storage.schema import tasks, tool_calls
from assistant.storage.transaction import Transaction

_SNAPSHOT = {"text", "parts", "log_attempt", "log_seq"}

COLUMNS = [column for column in tasks.c if column.name not in _SNAPSHOT]
"""What a task is read by: all but its snapshot, which may be long and is read by `Tasks.stored` alone."""


async def with_calls(within: Transaction, rows: Sequence[Row[Any]]) -> list[Task]:
    """The tasks of these rows of COLUMNS, in their order, with the calls of all of them by one query."""
    if not rows:
        return []
    calls: dict[str, list[ToolCall]] = {}
    for row in await within.rows(
        select(tool_calls)
        .where(tool_calls.c.task_id.in_([row.id for row in rows]))
        .order_by(tool_calls.c.task_id, tool_calls.c.step, tool_calls.c.id)
    ):
        calls.setdefault(row.task_id, []).append(call_of(row))
    return [_task(row, tuple(calls.get(row.id, ()))) for row in rows]


def task_values(task: Task) -> dict[str, Any]:
    """The columns of a new task, but for its snapshot."""
    return {
        "id": task.id,
        "session_id": task.session_id,
        "owner_id": task.owner_id,
        "question_id": task.question_id,
        "answer_id": task.answer_id,
        "state": task.state,
        "reason": task.reason,
        "attempt": task.attempt,
        "worker": task.worker,
        "prefix": task.prefix,
        "stop_requested_at": task.stop_requested_at,
        "usage": task.usage,
        "created_at": task.created_at,
        "finished_at": task.finished_at,
        "version": task.version,
        **error_values(task.error),
    }


def error_values(error: TaskError | None) -> dict[str, Any]:
    """The columns of a task's error."""
    return {
        "error_code": error.code if error else None,
        "error_message": error.message if error else None,
    }


def call_values(call: ToolCall) -> dict[str, Any]:
    """The columns of a tool call: they are named as the record's fields."""
    return {column.name: getattr(call, column.name) for column in tool_calls.c}


def call_of(row: Row[Any]) -> ToolCall:
    """The tool call of a row."""
    return ToolCall(
        id=row.id,
        task_id=row.task_id,
        step=row.step,
        name=row.name,
        arguments=row.arguments,
        arguments_hash=row.arguments_hash,
        offset=row.offset,
        state=ToolCallState(row.state),
        reason=row.reason and ToolCallReason(row.reason),
        result=row.result,
        needs_decision=row.needs_decision,
        decision=row.decision and Decision(row.decision),
        decided_at=row.decided_at,
        decided_by=row.decided_by,
        decided_on=row.decided_on,
        expires_at=row.expires_at,
        retry_of=row.retry_of,
        attempt=row.attempt,
        version=row.version,
        decision_reason=row.decision_reason,
        idempotent=row.idempotent,
        started_at=row.started_at,
        finished_at=row.finished_at,
        imported=row.imported,
    )


def _task(row: Row[Any], calls: tuple[ToolCall, ...]) -> Task:
    return Task(
        id=row.id,
        session_id=row.session_id,
        owner_id=row.owner_id,
        question_id=row.question_id,
        answer_id=row.answer_id,
        state=TaskState(row.state),
        reason=row.reason and TaskReason(row.reason),
        attempt=row.attempt,
        worker=row.worker,
        offset=row.offset,
        prefix=row.prefix,
        stop_requested_at=row.stop_requested_at,
        error=TaskError(row.error_code, row.error_message) if row.error_code is not None else None,
        usage=row.usage,
        created_at=row.created_at,
        finished_at=row.finished_at,
        version=row.version,
        tool_calls=calls,
    )
