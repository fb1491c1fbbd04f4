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
from assistant.storage.branches import last_below, walk
from assistant.storage.schema import messages, sessions, tasks
from assistant.storage.transaction import Transaction
from assistant.storage.transcripts import as_parts, fill

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

    async def fill(self, message_id: str, transcript: Transcript, version: int) -> None:
        """Store the answer's text and parts at a step border, a park or the end."""
        await fill(self._in, message_id, transcript, version)

    async def _walk(self, session_id: str, leaf_id: str | None, limit: int) -> list[Message]:
        if leaf_id is None:
            return []
        values = {"session": session_id, "leaf": leaf_id, "depth": limit + 1}
        return await self._read(_BRANCH, values)

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
    return Message(
        id=row.id,
        session_id=row.session_id,
        parent_id=row.parent_id,
        role=Role(row.role),
        text=row.text,
        parts=as_parts(row.parts),
        position=row.position,
        created_at=row.created_at,
        version=row.version,
        client_id=row.client_id,
        task_id=row.task_id,
        siblings=tuple(siblings),
        attachments=tuple(row.attachments),
    )
