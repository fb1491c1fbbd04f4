"""The search repository: the titles and messages of an owner that hold all that was asked for.

Titles are looked for first, then messages, each the newest first. SQLite reads its index in that order and
stops. PostgreSQL's has no order: a word that many messages hold is found among the newest of them, and one
that few hold by the index. The planner is not left to guess which it is.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.engine import Row

from assistant.domain.message import Role
from assistant.domain.records import Found
from assistant.domain.search_tokens import Term, searchable
from assistant.domain.session import SessionState
from assistant.storage.schema import messages, search_entries, sessions
from assistant.storage.search_index import scope_of
from assistant.storage.tables_search import TITLES
from assistant.storage.transaction import Transaction
from assistant.storage.transcripts import from_columns

_BEYOND = 2**62
"""A place above every entry."""

WALKED = 1_000
"""So many of the newest messages are looked through before PostgreSQL's index is asked."""

_BY_FTS = text(
    # CROSS JOIN is an order for SQLite's planner: the index is read from the newest on, as far as asked.
    "SELECT search_entry.place FROM search_text"
    " CROSS JOIN search_entry ON search_entry.place = search_text.rowid"
    " CROSS JOIN session ON session.id = search_entry.session_id"
    " WHERE search_text MATCH :wanted AND search_text.rowid < :before"
    " AND search_entry.owner_id = :owner AND session.state != :deleted"
    " ORDER BY search_text.rowid DESC LIMIT :limit"
)
_NEWEST = text(
    "SELECT newest.place FROM (SELECT place, session_id, tokens FROM search_entry"
    " WHERE owner_id = :owner AND place < :before ORDER BY place DESC LIMIT :walked) AS newest"
    " JOIN session ON session.id = newest.session_id"
    " WHERE newest.tokens @@ CAST(:wanted AS tsquery) AND session.state != :deleted"
    " ORDER BY newest.place DESC LIMIT :limit"
)
_BY_TSVECTOR = text(
    "WITH found AS MATERIALIZED (SELECT place, session_id FROM search_entry"
    " WHERE owner_id = :owner AND place < :before AND tokens @@ CAST(:wanted AS tsquery))"
    " SELECT found.place FROM found JOIN session ON session.id = found.session_id"
    " WHERE session.state != :deleted ORDER BY found.place DESC LIMIT :limit"
)


class Search:
    """`store_ports.Search` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def find(
        self, owner_id: str, terms: Sequence[Term], *, limit: int, before: int | None = None
    ) -> list[Found]:
        """What holds all of the terms, titles first and then the newest; `before` is the place of the last
        seen. Nothing of a deleted session, and nothing without a term."""
        if not terms:
            return []
        last = _BEYOND if before is None else before
        places: list[int] = []
        if last > TITLES:
            places = await self._places(owner_id, terms, title=True, before=last, limit=limit)
        if len(places) < limit:
            left, last = limit - len(places), min(last, TITLES)
            places += await self._places(owner_id, terms, title=False, before=last, limit=left)
        return await self._whole(places)

    async def _places(
        self, owner_id: str, terms: Sequence[Term], *, title: bool, before: int, limit: int
    ) -> list[int]:
        scope = scope_of(owner_id, title=title)
        has_tsvector = self._in.locks_rows
        values: dict[str, Any] = {
            "owner": owner_id,
            "deleted": SessionState.DELETED.value,
            "before": before,
            "limit": limit,
            "wanted": _tsquery(scope, terms) if has_tsvector else _fts(scope, terms),
        }
        if not has_tsvector:
            return [row.place for row in await self._in.rows(_BY_FTS, values)]
        if not title:
            newest = await self._in.rows(_NEWEST, {**values, "walked": WALKED})
            if len(newest) == limit:
                return [row.place for row in newest]
        return [row.place for row in await self._in.rows(_BY_TSVECTOR, values)]

    async def _whole(self, places: list[int]) -> list[Found]:
        if not places:
            return []
        rows = await self._in.rows(
            select(search_entries.c.place, search_entries.c.session_id, search_entries.c.message_id)
            .add_columns(sessions.c.title, sessions.c.state, sessions.c.updated_at)
            .add_columns(messages.c.role, messages.c.text, messages.c.parts)
            .add_columns(sessions.c.created_at, messages.c.created_at.label("said_at"))
            .join(sessions, sessions.c.id == search_entries.c.session_id)
            .join(messages, messages.c.id == search_entries.c.message_id, isouter=True)
            .where(search_entries.c.place.in_(places))
            .order_by(search_entries.c.place.desc())
        )
        return [_found(row) for row in rows]


def _found(row: Row[Any]) -> Found:
    is_title = row.message_id is None
    return Found(
        place=row.place,
        session_id=row.session_id,
        title=row.title,
        state=SessionState(row.state),
        updated_at=row.updated_at,
        message_id=row.message_id,
        role=None if is_title else Role(row.role),
        text=row.title if is_title else searchable(from_columns(row.text, row.parts)),
        created_at=row.created_at if is_title else row.said_at,
    )


def _tsquery(scope: str, terms: Sequence[Term]) -> str:
    """The terms have letters and digits alone, so there is nothing in them to quote."""
    asked = (term.indexed for term in terms)
    return " & ".join(f"'{scope}{token}'{':*' if prefix else ''}" for token, prefix in asked)


def _fts(scope: str, terms: Sequence[Term]) -> str:
    asked = (term.indexed for term in terms)
    return " AND ".join(f'"{scope}{token}"{" *" if prefix else ""}' for token, prefix in asked)
