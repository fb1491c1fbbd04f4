"""The tool calls repository: the ledger, each move one conditional UPDATE (DESIGN 5 and 9).

Which states a move may start from is read from the table in `domain.tool_call`, never written here.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Update, and_, case, exists, insert, not_, or_, select, update

from assistant.domain.machine import IllegalMove
from assistant.domain.session import SessionState
from assistant.domain.task import TASK, TaskEvent, TaskReason, TaskState
from assistant.domain.tool_call import (
    REASONS,
    TOOL_CALL,
    Decision,
    ToolCall,
    ToolCallEvent,
    ToolCallReason,
    ToolCallState,
)
from assistant.storage.schema import sessions, tasks, tool_calls
from assistant.storage.tables import UNDECIDED
from assistant.storage.task_rows import call_of, call_values
from assistant.storage.transaction import Transaction

_undecided = and_(tool_calls.c.needs_decision, tool_calls.c.decision.is_(None))


class ToolCalls:
    """`task_ports.ToolCalls` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def get(self, owner_id: str, call_id: str) -> ToolCall | None:
        """The call if its task is this owner's and the session is not deleted."""
        row = await self._in.row(
            select(tool_calls)
            .join(tasks, tasks.c.id == tool_calls.c.task_id)
            .join(sessions, sessions.c.id == tasks.c.session_id)
            .where(
                tool_calls.c.id == call_id,
                tasks.c.owner_id == owner_id,
                sessions.c.state != SessionState.DELETED,
            )
        )
        return row and call_of(row)

    async def add(self, calls: Sequence[ToolCall]) -> None:
        """Store calls beside those that their task has."""
        await add_calls(self._in, calls)
        for call in calls:
            await self._shown(call.task_id, call.version)

    async def start(
        self, call_ids: Sequence[str], task_id: str, attempt: int, *, at: datetime, version: int
    ) -> list[str]:
        """requested to executing, for calls that need no decision or are approved, of a task in
        tool_calling that this attempt holds and nobody asked to stop. Returns those that are begun."""
        held = exists().where(
            tasks.c.id == task_id,
            tasks.c.attempt == attempt,
            tasks.c.worker.is_not(None),
            tasks.c.state == TaskState.TOOL_CALLING,
            tasks.c.stop_requested_at.is_(None),
        )
        begun = await self._in.rows(
            update(tool_calls)
            .where(
                tool_calls.c.id.in_(call_ids),
                tool_calls.c.task_id == task_id,
                tool_calls.c.state.in_(TOOL_CALL.sources(ToolCallEvent.START)),
                or_(not_(tool_calls.c.needs_decision), tool_calls.c.decision == Decision.APPROVE),
                held,
            )
            .values(
                state=TOOL_CALL.target(ToolCallEvent.START), attempt=attempt, started_at=at, version=version
            )
            .returning(tool_calls.c.id)
        )
        if begun:
            await self._shown(task_id, version)
        return [row.id for row in begun]

    async def settle(
        self,
        call_id: str,
        attempt: int,
        state: ToolCallState,
        reason: ToolCallReason | None,
        result: str | None,
        *,
        at: datetime,
        version: int,
    ) -> bool:
        """executing to a terminal state, by the attempt that began it. IllegalMove for a reason that the
        state cannot carry."""
        event = _settling(state, reason)
        return await self._won(
            update(tool_calls)
            .where(
                tool_calls.c.id == call_id,
                tool_calls.c.attempt == attempt,
                tool_calls.c.state.in_(TOOL_CALL.sources(event)),
            )
            .values(
                state=TOOL_CALL.target(event), reason=reason, result=result, finished_at=at, version=version
            ),
            version,
        )

    async def decide(
        self,
        call_id: str,
        arguments_hash: str,
        decision: Decision,
        *,
        reason: str | None,
        by: str,
        on: str | None = None,
        at: datetime,
        version: int,
    ) -> bool:
        """Record the one decision of an undecided call with these arguments, in time; a denial settles the
        call as failed(denied) at once."""
        values: dict[str, Any] = {
            "decision": decision,
            "decision_reason": reason,
            "decided_by": by,
            "decided_on": on,
            "decided_at": at,
            "version": version,
        }
        if decision is Decision.DENY:
            state = TOOL_CALL.target(ToolCallEvent.REFUSE)
            values |= {"state": state, "reason": ToolCallReason.DENIED, "finished_at": at}
        in_time = or_(tool_calls.c.expires_at.is_(None), tool_calls.c.expires_at > at)
        unfinished = exists().where(
            tasks.c.id == tool_calls.c.task_id,
            tasks.c.state.not_in(sorted(TASK.terminal)),
            tasks.c.stop_requested_at.is_(None),
        )
        return await self._won(
            update(tool_calls)
            .where(
                tool_calls.c.id == call_id,
                tool_calls.c.arguments_hash == arguments_hash,
                tool_calls.c.state.in_(TOOL_CALL.sources(ToolCallEvent.REFUSE)),
                _undecided,
                in_time,
                unfinished,
            )
            .values(**values),
            version,
        )

    async def made_in_place_of(self, call_id: str) -> ToolCall | None:
        """The first call that was made in place of this one in another task, by Mark done or Run again."""
        original = tool_calls.alias()
        row = await self._in.row(
            select(tool_calls)
            .join(original, original.c.id == tool_calls.c.retry_of)
            .where(tool_calls.c.retry_of == call_id, tool_calls.c.task_id != original.c.task_id)
            .order_by(tool_calls.c.id)
            .limit(1)
        )
        return row and call_of(row)

    async def expired(self, *, now: datetime, limit: int) -> list[str]:
        """The parked tasks with an undecided call whose time has passed."""
        parked = exists().where(
            tasks.c.id == tool_calls.c.task_id,
            tasks.c.state.in_(TASK.sources(TaskEvent.EXPIRE)),
            tasks.c.stop_requested_at.is_(None),
        )
        rows = await self._in.rows(
            select(tool_calls.c.task_id)
            .where(UNDECIDED, tool_calls.c.expires_at <= now, parked)
            .order_by(tool_calls.c.expires_at)
            .limit(limit)
        )
        return list(dict.fromkeys(row.task_id for row in rows))

    async def _won(self, move: Update, version: int) -> bool:
        moved = await self._in.row(move.returning(tool_calls.c.task_id))
        if moved is None:
            return False
        await self._shown(moved.task_id, version)
        return True

    async def _shown(self, task_id: str, version: int) -> None:
        """A task is shown with its calls: whoever asks what changed finds it by its version."""
        await self._in.changed(update(tasks).where(tasks.c.id == task_id).values(version=version))


async def add_calls(within: Transaction, calls: Sequence[ToolCall]) -> None:
    """Insert calls."""
    if calls:
        await within.changed(insert(tool_calls), [call_values(call) for call in calls])


async def end_calls(
    within: Transaction, task_id: str, reason: TaskReason, *, at: datetime, version: int
) -> None:
    """Settle what is open when a task ends: what had not begun did not happen, of what ran nobody knows."""
    requested = ToolCallState.REQUESTED
    open_states = [state for state in ToolCallState if state not in TOOL_CALL.terminal]
    not_begun = (
        case((_undecided, ToolCallReason.EXPIRED), else_=ToolCallReason.STOPPED)
        if reason is TaskReason.EXPIRED
        else ToolCallReason.STOPPED
    )
    await within.changed(
        update(tool_calls)
        .where(tool_calls.c.task_id == task_id, tool_calls.c.state.in_(open_states))
        .values(
            state=ToolCallState.FAILED,
            reason=case((tool_calls.c.state == requested, not_begun), else_=ToolCallReason.LOST),
            finished_at=at,
            version=version,
        )
    )


def _settling(state: ToolCallState, reason: ToolCallReason | None) -> ToolCallEvent:
    if state is ToolCallState.COMPLETED and reason is None:
        return ToolCallEvent.COMPLETE
    if state is ToolCallState.FAILED and reason in REASONS[ToolCallEvent.FAIL]:
        return ToolCallEvent.FAIL
    raise IllegalMove(f"a call that runs cannot become {state} with the reason {reason}")
