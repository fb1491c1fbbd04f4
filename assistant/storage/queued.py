"""The queued messages repository: what waits in a session until its answer has ended."""

from dataclasses import replace
from typing import Any

from sqlalchemy import Select, bindparam, delete, exists, func, insert, select, update
from sqlalchemy.engine import Row

from assistant.domain.records import QueuedMessage
from assistant.domain.session import SessionState
from assistant.domain.task import GOES_ON
from assistant.storage.schema import queued, sessions, tasks
from assistant.storage.tables import UNFINISHED
from assistant.storage.transaction import Transaction

_others = queued.alias()
_ADD = (
    insert(queued)
    .values(
        position=select(func.coalesce(func.max(_others.c.position), 0) + 1)
        .where(_others.c.session_id == bindparam("session"))
        .scalar_subquery()
    )
    .returning(queued.c.position)
)

_last_reason = (
    select(tasks.c.reason)
    .where(tasks.c.session_id == sessions.c.id)
    .order_by(tasks.c.version.desc())
    .limit(1)
    .correlate(sessions)
    .scalar_subquery()
)
"""Of a session in which none is unfinished: the reason of the task that ended last."""


class QueuedMessages:
    """`store_ports.QueuedMessages` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def add(self, message: QueuedMessage) -> QueuedMessage:
        """Put it at the end of its session's queue; returns it with its position.

        The session was bumped before in this transaction, so nobody else mints a position now.
        """
        row = await self._in.row(
            _ADD,
            {
                "session": message.session_id,
                "session_id": message.session_id,
                "owner_id": message.owner_id,
                "key": message.key,
                "text": message.text,
                "model": message.model,
                "parameters": message.parameters,
                "created_at": message.created_at,
                "version": message.version,
            },
        )
        assert row is not None
        return replace(message, position=row.position)

    async def of_session(self, session_id: str) -> list[QueuedMessage]:
        """The queue of a session, oldest first."""
        return [_queued(row) for row in await self._in.rows(_oldest_first(session_id))]

    async def oldest(self, session_id: str) -> QueuedMessage | None:
        """The next one of a session to be sent."""
        row = await self._in.row(_oldest_first(session_id).limit(1))
        return row and _queued(row)

    async def take(self, owner_id: str, key: str) -> bool:
        """Take a message out of its queue; says whether it was there."""
        gone = delete(queued).where(queued.c.owner_id == owner_id, queued.c.key == key)
        return await self._in.changed(gone) == 1

    async def rewrite(self, owner_id: str, key: str, text: str, *, version: int) -> bool:
        """Give a message another text at its place in the queue; says whether it was there."""
        other = update(queued).where(queued.c.owner_id == owner_id, queued.c.key == key)
        return await self._in.changed(other.values(text=text, version=version)) == 1

    async def ready(self, *, limit: int) -> list[str]:
        """Sessions whose next queued message is to be sent: idle, not deleted, and their last task ended
        as `GOES_ON` says."""
        busy = exists().where(tasks.c.session_id == sessions.c.id, UNFINISHED)
        rows = await self._in.rows(
            select(sessions.c.id)
            .where(
                sessions.c.id.in_(select(queued.c.session_id)),
                sessions.c.state != SessionState.DELETED,
                ~busy,
                _last_reason.in_(sorted(GOES_ON)),
            )
            .limit(limit)
        )
        return [row.id for row in rows]


def _oldest_first(session_id: str) -> Select[Any]:
    return select(queued).where(queued.c.session_id == session_id).order_by(queued.c.position)


def _queued(row: Row[Any]) -> QueuedMessage:
    return QueuedMessage(
        session_id=row.session_id,
        owner_id=row.owner_id,
        key=row.key,
        text=row.text,
        model=row.model,
        parameters=row.parameters,
        position=row.position,
        created_at=row.created_at,
        version=row.version,
    )
