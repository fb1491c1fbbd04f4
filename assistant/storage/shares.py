"""The shares repository: at most one a session that is not revoked."""

from datetime import datetime

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Row

from assistant.domain.session import SessionState
from assistant.domain.share import Share
from assistant.storage.schema import sessions, shares
from assistant.storage.tables_around import NOT_REVOKED
from assistant.storage.transaction import Transaction


class Shares:
    """`domain.share.Shares` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def add(self, share: Share) -> None:
        """Store a new share; a second one that is not revoked is refused by the database."""
        await self._in.changed(
            insert(shares).values(
                id=share.id,
                session_id=share.session_id,
                owner_id=share.owner_id,
                with_arguments=share.with_arguments,
                version=share.version,
                created_at=share.created_at,
                revoked_at=share.revoked_at,
            )
        )

    async def of_session(self, owner_id: str, session_id: str) -> Share | None:
        """The share of an owner's session that is not revoked."""
        row = await self._in.row(
            _OF_LIVING.where(shares.c.session_id == session_id, sessions.c.owner_id == owner_id)
        )
        return row and _share(row)

    async def get(self, owner_id: str, share_id: str) -> Share | None:
        """The share, revoked or not, if it is this owner's."""
        row = await self._in.row(select(shares).where(shares.c.id == share_id, shares.c.owner_id == owner_id))
        return row and _share(row)

    async def readable(self, share_id: str) -> Share | None:
        """The share, whoever asks, unless it is revoked or its session is deleted."""
        row = await self._in.row(_OF_LIVING.where(shares.c.id == share_id))
        return row and _share(row)

    async def allow_arguments(self, share_id: str, allowed: bool, *, version: int) -> None:
        """Say anew what readers see of tool calls."""
        await self._in.changed(
            update(shares)
            .where(shares.c.id == share_id, NOT_REVOKED)
            .values(with_arguments=allowed, version=version)
        )

    async def revoke(self, share_id: str, *, at: datetime, version: int) -> None:
        """End it; the first time counts."""
        await self._in.changed(
            update(shares).where(shares.c.id == share_id, NOT_REVOKED).values(revoked_at=at, version=version)
        )


_OF_LIVING = (
    select(shares)
    .join(sessions, sessions.c.id == shares.c.session_id)
    .where(NOT_REVOKED, sessions.c.state != SessionState.DELETED)
)


def _share(row: Row) -> Share:
    return Share(
        id=row.id,
        session_id=row.session_id,
        owner_id=row.owner_id,
        with_arguments=row.with_arguments,
        version=row.version,
        created_at=row.created_at,
        revoked_at=row.revoked_at,
    )
