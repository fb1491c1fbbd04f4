"""All that carries an owner's id, and how it comes to another owner (decision 0019)."""

import uuid
from collections.abc import Iterator, Sequence

from sqlalchemy import Table, delete, func, select, update

from assistant.domain.records import Bump
from assistant.domain.session import SessionState
from assistant.storage.schema import (
    device_links,
    keys,
    messages,
    metadata,
    queued,
    sessions,
    tasks,
    tool_calls,
)
from assistant.storage.search_index import give_entries
from assistant.storage.transaction import Transaction

AT_ONCE = 500
"""Sessions in one statement: databases bound how many values a statement may name."""


class Belongings:
    """`device_link.Belongings` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def sessions(self, owner_id: str) -> int:
        """How many conversations, deleted ones not counted, the owner has."""
        row = await self._in.row(
            select(func.count()).where(
                sessions.c.owner_id == owner_id, sessions.c.state != SessionState.DELETED
            )
        )
        return row[0] if row else 0

    async def move(self, former_id: str, owner_id: str) -> int:
        """Give another owner all that `former_id` has; returns how many conversations moved.

        The sessions are locked first, in the order of their ids, and their versions raised: a claim, a stop
        or an end of theirs comes before or after the whole move. A code of the former owner's would lead to
        nothing from now on, and goes.
        """
        locked = select(sessions.c.id, sessions.c.state).where(sessions.c.owner_id == former_id)
        found = await self._in.rows(locked.order_by(sessions.c.id).with_for_update())
        moved = [row.id for row in found]
        await self._make_room(former_id, owner_id)
        for some in _batches(moved):
            await self._move_sessions(some, former_id, owner_id)
        await give_entries(self._in, former_id, owner_id)
        for table in _owned():
            if table not in (sessions, device_links):
                mine = table.c.owner_id == former_id
                await self._in.changed(update(table).where(mine).values(owner_id=owner_id))
        await self._in.changed(delete(device_links).where(device_links.c.owner_id == former_id))
        return sum(row.state != SessionState.DELETED for row in found)

    async def _move_sessions(self, some: Sequence[str], former_id: str, owner_id: str) -> None:
        bumped = await self._in.rows(
            update(sessions)
            .where(sessions.c.id.in_(some))
            .values(owner_id=owner_id, version=sessions.c.version + 1)
            .returning(sessions.c.id, sessions.c.version)
        )
        for row in bumped:
            self._in.bumped[row.id] = Bump(owner_id, row.id, row.version)
        for table in (messages, tasks):  # by their session: they have no index by owner
            await self._in.changed(
                update(table).where(table.c.session_id.in_(some)).values(owner_id=owner_id)
            )
        theirs = select(tasks.c.id).where(tasks.c.session_id.in_(some))
        decided = tool_calls.c.task_id.in_(theirs), tool_calls.c.decided_by == former_id
        await self._in.changed(update(tool_calls).where(*decided).values(decided_by=owner_id))

    async def _make_room(self, former_id: str, owner_id: str) -> None:
        """Have no two rows ask for the same place: keys are unique by owner, and both minted their own."""
        taken = select(keys.c.key).where(keys.c.owner_id == owner_id)
        waiting = await self._in.rows(
            select(queued.c.key).where(queued.c.owner_id == former_id, queued.c.key.in_(taken))
        )
        for row in waiting:
            another = str(uuid.uuid4())
            for table in (queued, keys):
                same = table.c.owner_id == former_id, table.c.key == row.key
                await self._in.changed(update(table).where(*same).values(key=another))
        await self._in.changed(delete(keys).where(keys.c.owner_id == former_id, keys.c.key.in_(taken)))
        sent = select(messages.c.client_id).where(
            messages.c.owner_id == owner_id, messages.c.client_id.is_not(None)
        )
        same_sent = messages.c.owner_id == former_id, messages.c.client_id.in_(sent)
        await self._in.changed(update(messages).where(*same_sent).values(client_id=None))


def _owned() -> Iterator[Table]:
    """Every table with an owner's id, those of tomorrow too."""
    return (
        table for table in metadata.sorted_tables if "owner_id" in table.c and table not in (messages, tasks)
    )


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))
