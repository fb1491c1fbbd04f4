"""The notes repository: what answers wrote down for an owner, each once a call."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.engine import Row
from sqlalchemy.sql.elements import ColumnElement

from assistant.domain.records import Note
from assistant.storage.inserting import insert_unless_there
from assistant.storage.schema import notes
from assistant.storage.transaction import Transaction


class Notes:
    """`store_ports.Notes` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def add(self, note: Note) -> bool:
        """Insert, unless the owner has a note of this call already: then False."""
        added = insert_unless_there(self._in, notes, notes.c.owner_id, notes.c.call_id)
        return await self._in.changed(added, asdict(note)) == 1

    async def of_call(self, owner_id: str, call_id: str) -> Note | None:
        """The note that a call wrote."""
        return await self._one(notes.c.owner_id == owner_id, notes.c.call_id == call_id)

    async def count(self, owner_id: str) -> int:
        """How many notes an owner has."""
        row = await self._in.row(select(func.count()).where(notes.c.owner_id == owner_id))
        return row[0] if row else 0

    async def of_owner(self, owner_id: str, *, limit: int) -> list[Note]:
        """The owner's notes, newest first."""
        newest_first = select(notes).where(notes.c.owner_id == owner_id).order_by(notes.c.id.desc())
        return [_note(row) for row in await self._in.rows(newest_first.limit(limit))]

    async def get(self, owner_id: str, note_id: str) -> Note | None:
        """A note, if it is this owner's."""
        return await self._one(notes.c.owner_id == owner_id, notes.c.id == note_id)

    async def delete(self, owner_id: str, note_id: str) -> bool:
        """Delete a note of the owner's; says whether there was one."""
        gone = delete(notes).where(notes.c.owner_id == owner_id, notes.c.id == note_id)
        return await self._in.changed(gone) == 1

    async def _one(self, *conditions: ColumnElement[bool]) -> Note | None:
        row = await self._in.row(select(notes).where(*conditions))
        return row and _note(row)


def _note(row: Row[Any]) -> Note:
    return Note(row.id, row.owner_id, row.call_id, row.title, row.text, row.created_at)
