"""The tasks repository: a task's moves, each one conditional UPDATE (DESIGN 5 and 6).

Which states a move may start from is read from the table in `domain.task`, never written here.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Update, func, select, true, update
from sqlalchemy.sql import Executable

from assistant.domain.errors import SessionBusy
from assistant.domain.log import Folded
from assistant.domain.machine import IllegalMove
from assistant.domain.task import REASONS, TASK, Task, TaskError, TaskEvent, TaskReason, TaskState
from assistant.domain.tool_call import ToolCall
from assistant.domain.transcript import Transcript
from assistant.storage.inserting import insert_unless_there
from assistant.storage.schema import owners, tasks
from assistant.storage.search_index import index_answer
from assistant.storage.tables import UNFINISHED
from assistant.storage.task_reads import FREE, TaskReads
from assistant.storage.task_rows import COLUMNS, error_values, task_values
from assistant.storage.tool_calls import add_calls, end_calls
from assistant.storage.transcripts import as_columns, fill

_NOTHING = Transcript()

_others = tasks.alias("others")
_running = (
    select(func.count())
    .where(_others.c.owner_id == tasks.c.owner_id, _others.c.worker.is_not(None))
    .correlate(tasks)
    .scalar_subquery()
)
"""How many tasks of the same owner run; made once, since an alias is dear to make."""


class Tasks(TaskReads):
    """`store_ports.Tasks` in one transaction."""

    async def add(self, task: Task, seed: Transcript = _NOTHING) -> None:
        """Store a new task with its calls, its text seeded with `seed` (Continue). SessionBusy when the
        session has an unfinished one."""
        added = await self.transaction.changed(
            insert_unless_there(self.transaction, tasks, tasks.c.session_id, where=UNFINISHED),
            {
                **task_values(task),
                **as_columns(seed),
                "offset": len(seed),
                "log_attempt": 0,
                "log_seq": 0,
            },
        )
        if not added:
            raise SessionBusy()
        await add_calls(self.transaction, task.tool_calls)

    async def claim(
        self, task_id: str, worker_id: str, state: TaskState, *, limit: int, version: int
    ) -> Task | None:
        """`attempt + 1`, `worker = worker_id`, state to `state`, when nobody holds it, no stop was asked
        for, it is claimable, and its owner runs fewer than `limit` others; else None."""
        if self.transaction.locks_rows:
            await self._one_claim_an_owner(task_id)
        return await self.one(
            update(tasks)
            .where(tasks.c.id == task_id, FREE, tasks.c.state.in_(_claimed_from(state)), _running < limit)
            .values(attempt=tasks.c.attempt + 1, worker=worker_id, state=state, version=version)
            .returning(*COLUMNS)
        )

    async def release(self, task_id: str, attempt: int) -> bool:
        """`worker = NULL` by attempt: rescue and handover. False when nobody held it or a newer attempt
        does."""
        return await self._won(
            update(tasks)
            .where(tasks.c.id == task_id, tasks.c.attempt == attempt, tasks.c.worker.is_not(None))
            .values(worker=None)
        )

    async def snapshot(self, task_id: str, attempt: int, folded: Folded) -> bool:
        """Text, parts, offset and log position of a running attempt; raises no version. False when the
        task has ended or a newer attempt owns it."""
        return await self._won(
            update(tasks)
            .where(tasks.c.id == task_id, tasks.c.attempt == attempt, UNFINISHED)
            .values(
                offset=len(folded.transcript),
                log_attempt=folded.position.attempt,
                log_seq=folded.position.seq,
                **as_columns(folded.transcript),
            )
        )

    async def store_calls(
        self, task_id: str, attempt: int, folded: Folded, calls: Sequence[ToolCall], *, version: int
    ) -> bool:
        """The end of a model step that asks for calls, in one transaction: the state, the snapshot, the
        answer's message and the calls. False when another attempt, an end or a stop was first."""
        moved = await self.transaction.row(
            _move(TaskEvent.CALLS_STORED, task_id, attempt)
            .values(
                state=TASK.target(TaskEvent.CALLS_STORED),
                offset=len(folded.transcript),
                log_attempt=folded.position.attempt,
                log_seq=folded.position.seq,
                version=version,
                **as_columns(folded.transcript),
            )
            .returning(tasks.c.answer_id)
        )
        if moved is None:
            return False
        await fill(self.transaction, moved.answer_id, folded.transcript, version)
        await add_calls(self.transaction, calls)
        return True

    async def results(self, task_id: str, attempt: int, *, version: int) -> bool:
        """tool_calling to streaming by attempt: all calls are settled. A stop that was asked for wins."""
        event = TaskEvent.RESULTS
        return await self._won(
            _move(event, task_id, attempt).values(state=TASK.target(event), version=version)
        )

    async def park(self, task_id: str, attempt: int, *, version: int) -> bool:
        """tool_calling to awaiting_confirm by attempt, held by nobody. A stop that was asked for wins."""
        event = TaskEvent.PARK
        return await self._won(
            _move(event, task_id, attempt).values(state=TASK.target(event), worker=None, version=version)
        )

    async def unpark(self, task_id: str, *, version: int) -> bool:
        """awaiting_confirm to tool_calling, for a runner to pick up. A stop that was asked for wins."""
        event = TaskEvent.DECIDED
        return await self._won(_move(event, task_id).values(state=TASK.target(event), version=version))

    async def request_stop(self, task_id: str, *, at: datetime, version: int) -> Task | None:
        """Stop is a claim: `attempt + 1`, no worker and `stop_requested_at`, from any state that is not
        terminal; None when it already ended. A stop asked for before keeps its time."""
        return await self.one(
            update(tasks)
            .where(tasks.c.id == task_id, tasks.c.state.in_(TASK.sources(TaskEvent.STOP)))
            .values(
                attempt=tasks.c.attempt + 1,
                worker=None,
                stop_requested_at=func.coalesce(tasks.c.stop_requested_at, at),
                version=version,
            )
            .returning(*COLUMNS)
        )

    async def end(
        self,
        task_id: str,
        attempt: int,
        state: TaskState,
        reason: TaskReason,
        *,
        at: datetime,
        version: int,
        transcript: Transcript,
        error: TaskError | None = None,
        usage: dict[str, Any] | None = None,
    ) -> bool:
        """Terminal state by attempt, and the answer filled, in this transaction; the task row's own text
        is emptied and nobody holds it any more.

        A task with `stop_requested_at` only ends as done(stopped). What becomes of its open calls says
        `tool_calls.end_calls`. False, and nothing changed, when another attempt or another end was first.
        IllegalMove for a reason that the state cannot carry.
        """
        event = _ending(state, reason)
        ended = await self.transaction.row(
            update(tasks)
            .where(
                tasks.c.id == task_id,
                tasks.c.attempt == attempt,
                tasks.c.state.in_(TASK.sources(event)),
                true() if event is TaskEvent.STOP else tasks.c.stop_requested_at.is_(None),
            )
            .values(
                state=state,
                reason=reason,
                worker=None,
                offset=len(transcript),
                usage=usage,
                finished_at=at,
                version=version,
                **as_columns(_NOTHING),
                **error_values(error),
            )
            .returning(tasks.c.answer_id)
        )
        if ended is None:
            return False
        await fill(self.transaction, ended.answer_id, transcript, version)
        await index_answer(self.transaction, ended.answer_id, transcript)
        await end_calls(self.transaction, task_id, reason, at=at, version=version)
        return True

    async def _one_claim_an_owner(self, task_id: str) -> None:
        # Claims in two sessions would otherwise each count without seeing the other, and pass the limit.
        await self.transaction.rows(
            select(owners.c.id)
            .join(tasks, tasks.c.owner_id == owners.c.id)
            .where(tasks.c.id == task_id)
            .with_for_update(key_share=True, of=owners)
        )

    async def _won(self, move: Executable) -> bool:
        return await self.transaction.changed(move) == 1


def _move(event: TaskEvent, task_id: str, attempt: int | None = None) -> Update:
    """The UPDATE of one arrow that a stop closes, by attempt where one holds the task."""
    return update(tasks).where(
        tasks.c.id == task_id,
        true() if attempt is None else tasks.c.attempt == attempt,
        tasks.c.state.in_(TASK.sources(event)),
        tasks.c.stop_requested_at.is_(None),
    )


def _claimed_from(state: TaskState) -> list[TaskState]:
    claims = (TaskEvent.CLAIM, TaskEvent.CLAIM_CALLS)
    return [before for (before, event), after in TASK.arrows.items() if event in claims and after is state]


def _ending(state: TaskState, reason: TaskReason) -> TaskEvent:
    if reason not in REASONS.get(state, ()):
        raise IllegalMove(f"{state} cannot carry the reason {reason}")
    if reason is TaskReason.STOPPED:
        return TaskEvent.STOP
    if reason is TaskReason.EXPIRED:
        return TaskEvent.EXPIRE
    return TaskEvent.FINISH if state is TaskState.DONE else TaskEvent.FAIL
