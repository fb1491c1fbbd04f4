"""The messages repository: a session's tree of messages, read by branch, by id and by version."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, insert, or_, select
from sqlalchemy.engine import Row

from assistant.domain.message import Message, Role
from assistant.domain.session import SessionState
from assistant.domain.transcript import Transcript
from assistant.storage.branches import WHOLE, last_below, walk
from assistant.storage.schema import messages, sessions, tasks
from assistant.storage.search_index import index_question
from assistant.storage.transaction import Transaction
from assistant.storage.transcripts import fill, from_columns

_log = logging.getLogger(__name__)

_TASK_ID = (
    select(tasks.c.id)
    .where(tasks.c.answer_id == messages.c.id)
    .order_by(tasks.c.created_at.desc(), tasks.c.id.desc())
    .limit(1)
    .correlate(messages)
    .scalar_subquery()
)
"""The latest task of an answer."""

_SELECT = select(messages, _TASK_ID.label("task_id"))
_BRANCH = walk(_SELECT)
_LAST_BELOW = last_below()
_IDS_OF_BRANCH = walk(select(messages.c.id))
_IDS_BELOW = walk(select(messages.c.id), up_to=True)

_others = messages.alias()
_ADD = (
    insert(messages)
    .values(
        owner_id=select(sessions.c.owner_id).where(sessions.c.id == bindparam("session")).scalar_subquery(),
        position=select(func.coalesce(func.max(_others.c.position), 0) + 1)
        .where(_others.c.session_id == bindparam("session"))
        .scalar_subquery(),
    )
    .returning(messages.c.position)
)

_Place = tuple[str, str | None, str]
"""Session, parent and role: what siblings share."""


class Messages:
    """`store_ports.Messages` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def add(self, message: Message) -> Message:
        """Store it with the next position of its session; returns it with that position.

        The session was bumped before in this transaction, so nobody else mints a position now.
        """
        row = await self._in.row(
            _ADD,
            {
                "session": message.session_id,
                "id": message.id,
                "session_id": message.session_id,
                "parent_id": message.parent_id,
                "role": message.role,
                "text": message.text,
                "parts": [part.as_json() for part in message.parts],
                "attachments": list(message.attachments),
                "client_id": message.client_id,
                "version": message.version,
                "created_at": message.created_at,
            },
        )
        assert row is not None
        await index_question(self._in, message)
        return replace(message, position=row.position)

    async def get(self, owner_id: str, message_id: str) -> Message | None:
        """The message if it is this owner's and its session is not deleted."""
        found = await self._read(
            _SELECT.join(sessions, sessions.c.id == messages.c.session_id).where(
                messages.c.id == message_id,
                messages.c.owner_id == owner_id,
                sessions.c.state != SessionState.DELETED,
            )
        )
        return found[0] if found else None

    async def by_client_id(self, owner_id: str, client_id: str) -> Message | None:
        """The message that was sent under this key, even in a deleted session: it was sent."""
        found = await self._read(
            _SELECT.where(messages.c.owner_id == owner_id, messages.c.client_id == client_id)
        )
        return found[0] if found else None

    async def branch(self, session_id: str, leaf_id: str | None, *, limit: int) -> tuple[list[Message], bool]:
        """The last `limit` messages of the branch that ends at `leaf_id`, oldest first, and whether
        older ones exist; costs the same however long the session is.

        Broken references are walked around (Case B059): a leaf that names nothing in this session falls
        back to the newest message, a parent that does not exist or stands later ends the walk.
        """
        page = await self._walk(session_id, leaf_id, limit)
        if not page:
            newest = await self._newest(session_id)
            if newest is None:
                return [], False
            _log.warning("session %s: leaf %s is not there, the newest message is shown", session_id, leaf_id)
            page = await self._walk(session_id, newest, limit)
        has_older = len(page) > limit
        first = page[0]
        if not has_older and first.parent_id is not None:
            _log.warning("session %s: parent of message %s is not there", session_id, first.id)
        return page[1:] if has_older else page, has_older

    async def below(self, above: Message, leaf_id: str, *, limit: int) -> list[Message] | None:
        """The next `limit` messages after `above`, oldest first, if it is on the branch of `leaf_id`. Whether
        it is on that branch is asked with `limit` 0, and else only where a fork is met: None when not.

        Where no other branch begins they stand side by side, and nothing else is read. Else the way is the
        one up from the leaf, a few dozen bytes a message: what comes down from `above` may end elsewhere.
        """
        near = await self._side_by_side(above, limit) if limit else []
        if near and (len(near) == limit or near[-1].id == leaf_id):
            return near
        values = {"session": above.session_id, "leaf": leaf_id, "depth": WHOLE, "position": above.position}
        ids = [row.id for row in await self._in.rows(_IDS_BELOW, values)]
        if not ids or ids[0] != above.id:
            return None
        return await self.some(above.session_id, ids[1 : limit + 1])

    async def end_of_branch(self, session_id: str, leaf_id: str | None) -> str | None:
        """The id of the message to which the next one is added: the leaf if it is a message of the
        session, else its newest message, else None (Cases B055, B059)."""
        if leaf_id is not None:
            there = select(messages.c.id).where(messages.c.id == leaf_id, messages.c.session_id == session_id)
            if await self._in.row(there):
                return leaf_id
        return await self._newest(session_id)

    async def last_below(self, session_id: str, message_id: str) -> str | None:
        """The message with which a branch through this one ends: of those below it (itself among them) the
        one that was chosen last, else the newest. None when it is no message of the session."""
        row = await self._in.row(_LAST_BELOW, {"session": session_id, "message": message_id})
        return row and row.id

    async def changed_since(self, session_id: str, version: int) -> list[Message]:
        """The messages that changed after `version`, in order."""
        return await self._read(
            _SELECT.where(messages.c.session_id == session_id, messages.c.version > version).order_by(
                messages.c.position
            )
        )

    async def last_position(self, session_id: str) -> int:
        """The position of the newest message; 0 when there is none."""
        newest = func.max(messages.c.position).label("last")
        row = await self._in.row(select(newest).where(messages.c.session_id == session_id))
        return row.last or 0 if row else 0

    async def ids_of_branch(self, session_id: str, leaf_id: str | None) -> list[str]:
        """The ids of a whole branch, oldest first, walked as `branch` does: a few dozen bytes a message."""
        leaf_id = await self.end_of_branch(session_id, leaf_id)
        values = {"session": session_id, "leaf": leaf_id, "depth": WHOLE}
        return [row.id for row in await self._in.rows(_IDS_OF_BRANCH, values)]

    async def some(self, session_id: str, wanted: range | Sequence[str]) -> list[Message]:
        """Messages of a session, by a range of positions or by ids, in that order."""
        of_session = _SELECT.where(messages.c.session_id == session_id)
        if isinstance(wanted, range):
            near = messages.c.position.between(wanted.start, wanted.stop - 1)
            return await self._read(of_session.where(near).order_by(messages.c.position))
        found = {each.id: each for each in await self._read(of_session.where(messages.c.id.in_(wanted)))}
        return [found[id_] for id_ in wanted if id_ in found]

    async def fill(self, message_id: str, transcript: Transcript, version: int) -> None:
        """Store the answer's text and parts at a step border, a park or the end."""
        await fill(self._in, message_id, transcript, version)

    async def _walk(self, session_id: str, leaf_id: str | None, limit: int) -> list[Message]:
        if leaf_id is None:
            return []
        values = {"session": session_id, "leaf": leaf_id, "depth": limit + 1}
        return await self._read(_BRANCH, values)

    async def _side_by_side(self, above: Message, limit: int) -> list[Message]:
        """What comes after a message, one by one, as far as each is the only one after the one before."""
        near = await self.some(above.session_id, range(above.position + 1, above.position + limit + 1))
        found: list[Message] = []
        for message in near:
            last = found[-1] if found else above
            if message.parent_id != last.id or len(message.siblings) > 1:
                break
            found.append(message)
        return found

    async def _newest(self, session_id: str) -> str | None:
        row = await self._in.row(
            select(messages.c.id)
            .where(messages.c.session_id == session_id)
            .order_by(messages.c.position.desc())
            .limit(1)
        )
        return row.id if row else None

    async def _read(self, query: Select[Any], values: dict[str, Any] | None = None) -> list[Message]:
        rows = await self._in.rows(query, values)
        siblings = await self._siblings(rows)
        return [_message(row, siblings[row.session_id, row.parent_id, row.role]) for row in rows]

    async def _siblings(self, rows: Sequence[Row[Any]]) -> dict[_Place, list[str]]:
        if not rows:
            return {}
        parents = {row.parent_id for row in rows if row.parent_id is not None}
        near: list[ColumnElement[bool]] = [messages.c.parent_id.in_(parents)] if parents else []
        if tops := {row.session_id for row in rows if row.parent_id is None}:
            near.append(and_(messages.c.parent_id.is_(None), messages.c.session_id.in_(tops)))
        found: dict[_Place, list[str]] = {}
        for row in await self._in.rows(
            select(messages.c.id, messages.c.session_id, messages.c.parent_id, messages.c.role)
            .where(or_(*near))
            .order_by(messages.c.position)
        ):
            found.setdefault((row.session_id, row.parent_id, row.role), []).append(row.id)
        return found


def _message(row: Row[Any], siblings: list[str]) -> Message:
    transcript = from_columns(row.text, row.parts)
    return Message(
        id=row.id,
        session_id=row.session_id,
        parent_id=row.parent_id,
        role=Role(row.role),
        text=transcript.text,
        parts=transcript.parts,
        position=row.position,
        created_at=row.created_at,
        version=row.version,
        client_id=row.client_id,
        task_id=row.task_id,
        siblings=tuple(siblings),
        attachments=tuple(row.attachments or ()),
    )
