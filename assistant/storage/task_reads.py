"""How tasks are read: by id, by session, by worker, and the stored text as the start of a fold."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, exists, func, select
from sqlalchemy.sql import Executable

from assistant.domain.errors import NotFound
from assistant.domain.log import Folded, Position
from assistant.domain.session import SessionState
from assistant.domain.task import CLAIMABLE, TASK, Task, TaskState
from assistant.storage.schema import messages, sessions, tasks, workers
from assistant.storage.tables import UNFINISHED
from assistant.storage.task_rows import COLUMNS, with_calls
from assistant.storage.transaction import Transaction
from assistant.storage.transcripts import from_columns

BEYOND_THE_LOG = 2**63 - 1
"""The seq in the position of a terminal task: no entry of its log can add to the text of the answer."""

FREE = tasks.c.state.in_(sorted(CLAIMABLE)) & tasks.c.worker.is_(None) & tasks.c.stop_requested_at.is_(None)
"""Nobody holds it and no one asked to stop it, and its state is one in which a runner picks it up."""

_SELECT = select(*COLUMNS)


class TaskReads:
    """The reading half of `store_ports.Tasks`."""

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction

    async def get(self, owner_id: str, task_id: str) -> Task | None:
        """The task if it is this owner's and its session is not deleted."""
        return await self.one(
            _SELECT.join(sessions, sessions.c.id == tasks.c.session_id).where(
                tasks.c.id == task_id,
                tasks.c.owner_id == owner_id,
                sessions.c.state != SessionState.DELETED,
            )
        )

    async def find(self, task_id: str) -> Task | None:
        """The task whoever owns it: for the runner and the reconciler only."""
        return await self.one(_SELECT.where(tasks.c.id == task_id))

    async def of_answers(self, owner_id: str, answer_ids: Sequence[str]) -> list[Task]:
        """The tasks of these answers, as far as they are this owner's and not deleted, oldest first."""
        if not answer_ids:
            return []
        return await self.many(
            _SELECT.join(sessions, sessions.c.id == tasks.c.session_id)
            .where(
                tasks.c.answer_id.in_(answer_ids),
                tasks.c.owner_id == owner_id,
                sessions.c.state != SessionState.DELETED,
            )
            .order_by(tasks.c.created_at, tasks.c.id)
        )

    async def first_of_question(self, question_id: str) -> Task | None:
        """The task that the send of this message made."""
        first = (tasks.c.created_at, tasks.c.id)
        return await self.one(_SELECT.where(tasks.c.question_id == question_id).order_by(*first).limit(1))

    async def unfinished(self, session_id: str) -> list[Task]:
        """The tasks of a session that have not ended: one, or none."""
        return await self.many(_SELECT.where(tasks.c.session_id == session_id, UNFINISHED))

    async def last_ended(self, session_id: str) -> Task | None:
        """The task of a session that ended last, on whichever branch: ends of a session have versions of
        their own, and times that may be equal."""
        ended = _SELECT.where(tasks.c.session_id == session_id, tasks.c.state.in_(sorted(TASK.terminal)))
        return await self.one(ended.order_by(tasks.c.version.desc()).limit(1))

    async def latest_states(self, session_ids: Sequence[str]) -> dict[str, TaskState]:
        """By session: the state of its unfinished task, else of the task of its chosen last answer."""
        if not session_ids:
            return {}
        chosen = (
            select(sessions.c.id.label("session_id"), tasks.c.state)
            .join(tasks, tasks.c.answer_id == sessions.c.leaf_id)
            .where(sessions.c.id.in_(session_ids))
        )
        unfinished = select(tasks.c.session_id, tasks.c.state).where(
            tasks.c.session_id.in_(session_ids), UNFINISHED
        )
        rows = [*await self.transaction.rows(chosen), *await self.transaction.rows(unfinished)]
        return {row.session_id: TaskState(row.state) for row in rows}

    async def changed_since(self, session_id: str, version: int) -> list[Task]:
        """The tasks that changed after `version`, by that order."""
        changed = _SELECT.where(tasks.c.session_id == session_id, tasks.c.version > version)
        return await self.many(changed.order_by(tasks.c.version, tasks.c.id))

    async def held_by(self, worker_id: str) -> list[Task]:
        """The running tasks of one worker, oldest first."""
        return await self.many(_oldest(tasks.c.worker == worker_id))

    async def unheld(self, *, limit: int, owner_limit: int) -> list[Task]:
        """Claimable tasks that nobody holds and no one asked to stop, oldest first: of each owner only as
        many as may run beside those that do, so that one owner's many keep nobody else's waiting."""
        turn = func.row_number().over(
            partition_by=tasks.c.owner_id, order_by=(tasks.c.created_at, tasks.c.id)
        )
        free = select(tasks.c.id, tasks.c.owner_id, turn.label("turn")).where(FREE, UNFINISHED).subquery()
        others = tasks.alias("others")
        running = (
            select(func.count())
            .where(others.c.owner_id == free.c.owner_id, others.c.worker.is_not(None))
            .correlate(free)
            .scalar_subquery()
        )
        may_run = select(free.c.id).where(free.c.turn + running <= owner_limit)
        return await self.many(_oldest(tasks.c.id.in_(may_run)).limit(limit))

    async def half_stopped(self, *, limit: int) -> list[Task]:
        """Tasks with `stop_requested_at` that are not terminal yet, oldest first."""
        return await self.many(_oldest(tasks.c.stop_requested_at.is_not(None)).limit(limit))

    async def held_by_unknown(self) -> list[Task]:
        """Running tasks whose worker has no row, oldest first."""
        unknown = ~exists().where(workers.c.id == tasks.c.worker)
        return await self.many(_oldest(tasks.c.worker.is_not(None), unknown))

    async def stored(self, task_id: str) -> Folded:
        """The last snapshot as the start of a fold; NotFound when there is no such task.

        For a terminal task the text of the answer, closed, at a position beyond every entry of the log.
        """
        row = await self.transaction.row(
            select(tasks.c.state, tasks.c.attempt, tasks.c.log_attempt, tasks.c.log_seq)
            .add_columns(tasks.c.text, tasks.c.parts, tasks.c.answer_id)
            .where(tasks.c.id == task_id)
        )
        if row is None:
            raise NotFound()
        if TaskState(row.state) not in TASK.terminal:
            position = Position(row.log_attempt, row.log_seq)
            return Folded(from_columns(row.text, row.parts), position, attempt=position.attempt)
        answer = await self.transaction.row(
            select(messages.c.text, messages.c.parts).where(messages.c.id == row.answer_id)
        )
        assert answer is not None  # a foreign key
        return Folded(
            from_columns(answer.text, answer.parts),
            Position(row.attempt, BEYOND_THE_LOG),
            attempt=row.attempt,
            closed=True,
        )

    async def one(self, query: Executable) -> Task | None:
        found = await self.many(query)
        return found[0] if found else None

    async def many(self, query: Executable) -> list[Task]:
        return await with_calls(self.transaction, await self.transaction.rows(query))


def _oldest(*conditions: ColumnElement[bool]) -> Select[*tuple[Any, ...]]:
    return _SELECT.where(UNFINISHED, *conditions).order_by(tasks.c.created_at, tasks.c.id)
