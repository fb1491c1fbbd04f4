"""The sessions repository: the row whose version puts all writes of a session in one order."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, null, select, tuple_, update
from sqlalchemy.engine import Row

from assistant.domain.errors import NotFound
from assistant.domain.records import Bump, KeyState
from assistant.domain.session import SESSION, Session, SessionEvent, SessionState
from assistant.domain.title import TITLE, TitleEvent, TitleFrom
from assistant.storage.schema import keys, messages, queued, sessions
from assistant.storage.search_index import index_title
from assistant.storage.transaction import Transaction

_BUMP = (
    update(sessions)
    .where(sessions.c.id == bindparam("session"))
    .values(version=sessions.c.version + 1)
    .returning(sessions.c.version, sessions.c.owner_id)
)
_BUMP_OWN = _BUMP.where(sessions.c.owner_id == bindparam("owner"))


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
                title_from=_title_from(session.title_from),
            )
        )
        await index_title(self._in, session.id, session.title)

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

    async def bump(self, session_id: str, *, owner_id: str | None = None) -> int:
        """Raise the version, lock the row until the end of the transaction and return the version.

        The first statement of every write transaction of a session. Asked again in the same transaction
        it returns the same version: one write, one version. NotFound when there is no such row, or none of
        `owner_id`: whoever names another owner's session waits for no lock of theirs, and holds none.
        """
        bumped = self._in.bumped.get(session_id)
        if bumped is None:
            if owner_id is None:
                row = await self._in.row(_BUMP, {"session": session_id})
            else:
                row = await self._in.row(_BUMP_OWN, {"session": session_id, "owner": owner_id})
            if row is None:
                raise NotFound()
            bumped = self._in.bumped[session_id] = Bump(row.owner_id, session_id, row.version)
        return bumped.version

    async def version(self, session_id: str) -> int | None:
        """The session's version now, whoever owns it; None when there is no such session."""
        row = await self._in.row(select(sessions.c.version).where(sessions.c.id == session_id))
        return row and row.version

    async def recent(
        self,
        owner_id: str,
        *,
        limit: int,
        before: tuple[datetime, str] | None = None,
        state: SessionState = SessionState.ACTIVE,
    ) -> list[Session]:
        """Sessions in a state by last activity, newest first; `before` is (updated_at, id) of the last
        seen."""
        last_seen = tuple_(sessions.c.updated_at, sessions.c.id)
        query = (
            select(sessions)
            .where(sessions.c.owner_id == owner_id, sessions.c.state == state)
            .order_by(sessions.c.updated_at.desc(), sessions.c.id.desc())
            .limit(limit)
        )
        if before is not None:
            query = query.where(last_seen < before)
        return [_session(row) for row in await self._in.rows(query)]

    async def configure(self, session_id: str, *, model: str | None, parameters: dict[str, Any]) -> None:
        """Set the model and parameters that the session's next turns use."""
        await self._set(session_id, model=model, parameters=parameters)

    async def rename(self, session_id: str, title: str) -> None:
        """Give it another title, which no model replaces; that is no activity."""
        await self._retitle(session_id, TitleEvent.RENAME, title=title)
        await index_title(self._in, session_id, title)

    async def ask_title(self, session_id: str) -> bool:
        """Take the one try at a title by a model; False when it was taken, or the title is settled."""
        return await self._retitle(session_id, TitleEvent.ASK)

    async def entitle(self, session_id: str, title: str) -> bool:
        """Give it the title that a model made; False when the user has renamed it since."""
        titled = await self._retitle(session_id, TitleEvent.ENTITLE, title=title)
        if titled:
            await index_title(self._in, session_id, title)
        return titled

    async def choose_leaf(self, session_id: str, leaf_id: str) -> None:
        """Show the branch that ends at this message, and remember that it was the last one chosen."""
        await self._set(session_id, leaf_id=leaf_id)
        now = select(sessions.c.version).where(sessions.c.id == session_id).scalar_subquery()
        await self._in.changed(
            update(messages)
            .where(messages.c.id == leaf_id, messages.c.session_id == session_id)
            .values(chosen=now)
        )

    async def touch(self, session_id: str, *, at: datetime, title: str | None = None) -> None:
        """Set the time of last activity, and the title when one is given."""
        named = {} if title is None else {"title": title}
        await self._set(session_id, updated_at=at, **named)
        if title is not None:
            await index_title(self._in, session_id, title)

    async def move(self, session_id: str, event: SessionEvent, *, at: datetime) -> bool:
        """One move of the session's machine; False when it does not stand where the move begins. A deletion
        keeps its time."""
        moved = await self._in.changed(
            update(sessions)
            .where(sessions.c.id == session_id, sessions.c.state.in_(SESSION.sources(event)))
            .values(state=SESSION.target(event), deleted_at=at if event is SessionEvent.DELETE else None)
        )
        return moved == 1

    async def may_return(self, owner_id: str, session_id: str, *, deleted_after: datetime) -> bool:
        """Whether the session is this owner's and was deleted later than that."""
        row = await self._in.row(
            select(sessions.c.id).where(
                sessions.c.id == session_id,
                sessions.c.owner_id == owner_id,
                sessions.c.deleted_at > deleted_after,
            )
        )
        return row is not None

    async def deleted_before(self, moment: datetime, *, limit: int) -> list[str]:
        """The sessions deleted at or before a moment, whoever owned them, oldest deletion first."""
        rows = await self._in.rows(
            select(sessions.c.id)
            .where(sessions.c.deleted_at <= moment)
            .order_by(sessions.c.deleted_at)
            .limit(limit)
        )
        return [row.id for row in rows]

    async def remove(self, session_id: str, *, deleted_before: datetime) -> bool:
        """Take the row and everything of it away, if it was deleted at or before that; else change nothing
        and return False. The keys of what was still queued are withdrawn, since it is never sent now. A
        broken reference into it from another session is cut (Case B059)."""
        gone = select(sessions.c.id).where(
            sessions.c.id == session_id, sessions.c.deleted_at <= deleted_before
        )
        # An undo that came first is waited for here, and then there is nothing to remove.
        if await self._in.row(gone.with_for_update()) is None:
            return False
        waits = select(queued.c.owner_id, queued.c.key).where(queued.c.session_id == session_id)
        await self._in.changed(
            update(keys)
            .where(tuple_(keys.c.owner_id, keys.c.key).in_(waits))
            .values(state=KeyState.WITHDRAWN, result=null())
        )
        theirs = messages.alias("theirs")
        of_it = select(theirs.c.id).where(theirs.c.session_id == session_id)
        await self._in.changed(
            update(messages)
            .where(messages.c.parent_id.in_(of_it), messages.c.session_id != session_id)
            .values(parent_id=None)
        )
        await self._in.changed(delete(sessions).where(sessions.c.id == session_id))
        return True

    async def _retitle(self, session_id: str, event: TitleEvent, **values: Any) -> bool:
        """One move of the title's machine; False when it does not stand where the move begins."""
        now = func.coalesce(sessions.c.title_from, TitleFrom.SETTLED)
        moved = update(sessions).where(sessions.c.id == session_id, now.in_(TITLE.sources(event)))
        after = _title_from(TITLE.target(event))
        return await self._in.changed(moved.values(title_from=after, **values)) == 1

    async def _set(self, session_id: str, **values: Any) -> None:
        await self._in.changed(update(sessions).where(sessions.c.id == session_id).values(**values))


def _title_from(known: TitleFrom) -> TitleFrom | None:
    """Settled is stored as nothing, as it is for sessions of before there were titles by models."""
    return None if known is TitleFrom.SETTLED else known


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
        title_from=TitleFrom(row.title_from or TitleFrom.SETTLED),
    )
