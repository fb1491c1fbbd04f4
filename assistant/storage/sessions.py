"""The sessions repository: the row whose version puts all writes of a session in one order."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, select, tuple_, update
from sqlalchemy.engine import Row

from assistant.domain.errors import NotFound
from assistant.domain.records import Bump
from assistant.domain.session import Session, SessionState
from assistant.storage.schema import sessions
from assistant.storage.transaction import Transaction

_BUMP = (
    update(sessions)
    .where(sessions.c.id == bindparam("session"))
    .values(version=sessions.c.version + 1)
    .returning(sessions.c.version, sessions.c.owner_id)
)


class Sessions:
    """`store_ports.Sessions` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def add(self, session: Session) -> None:
        """Store a new session with the version that it carries."""
        await self._in.changed(
            insert(sessions).values(
                id=session.id,
                owner_id=session.owner_id,
                state=session.state,
                title=session.title,
                model=session.model,
                parameters=session.parameters,
                leaf_id=session.leaf_id,
                version=session.version,
                created_at=session.created_at,
                updated_at=session.updated_at,
            )
        )

    async def get(self, owner_id: str, session_id: str) -> Session | None:
        """The session if it is this owner's and not deleted."""
        row = await self._in.row(
            select(sessions).where(
                sessions.c.id == session_id,
                sessions.c.owner_id == owner_id,
                sessions.c.state != SessionState.DELETED,
            )
        )
        return row and _session(row)

    async def bump(self, session_id: str) -> int:
        """Raise the version, lock the row until the end of the transaction and return the version.

        The first statement of every write transaction of a session. Asked again in the same transaction
        it returns the same version: one write, one version. NotFound when there is no such row.
        """
        bumped = self._in.bumped.get(session_id)
        if bumped is None:
            row = await self._in.row(_BUMP, {"session": session_id})
            if row is None:
                raise NotFound()
            bumped = self._in.bumped[session_id] = Bump(row.owner_id, session_id, row.version)
        return bumped.version

    async def version(self, session_id: str) -> int | None:
        """The session's version now, whoever owns it; None when there is no such session."""
        row = await self._in.row(select(sessions.c.version).where(sessions.c.id == session_id))
        return row and row.version

    async def recent(
        self, owner_id: str, *, limit: int, before: tuple[datetime, str] | None = None
    ) -> list[Session]:
        """Active sessions by last activity, newest first; `before` is (updated_at, id) of the last seen."""
        last_seen = tuple_(sessions.c.updated_at, sessions.c.id)
        query = (
            select(sessions)
            .where(sessions.c.owner_id == owner_id, sessions.c.state == SessionState.ACTIVE)
            .order_by(sessions.c.updated_at.desc(), sessions.c.id.desc())
            .limit(limit)
        )
        if before is not None:
            query = query.where(last_seen < before)
        return [_session(row) for row in await self._in.rows(query)]

    async def configure(self, session_id: str, *, model: str | None, parameters: dict[str, Any]) -> None:
        """Set the model and parameters that the session's next turns use."""
        await self._set(session_id, model=model, parameters=parameters)

    async def choose_leaf(self, session_id: str, leaf_id: str) -> None:
        """Show the branch that ends at this message."""
        await self._set(session_id, leaf_id=leaf_id)

    async def touch(self, session_id: str, *, at: datetime, title: str | None = None) -> None:
        """Set the time of last activity, and the title when one is given."""
        named = {} if title is None else {"title": title}
        await self._set(session_id, updated_at=at, **named)

    async def _set(self, session_id: str, **values: Any) -> None:
        await self._in.changed(update(sessions).where(sessions.c.id == session_id).values(**values))


def _session(row: Row[Any]) -> Session:
    return Session(
        id=row.id,
        owner_id=row.owner_id,
        state=SessionState(row.state),
        title=row.title,
        model=row.model,
        leaf_id=row.leaf_id,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
        parameters=row.parameters,
    )
