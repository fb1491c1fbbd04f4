"""The drafts repository: one a session and owner, the newest version wins."""

from datetime import datetime

from sqlalchemy import select

from assistant.domain.records import StoredDraft
from assistant.domain.session import SessionState
from assistant.storage.inserting import insert_or_replace_older
from assistant.storage.schema import drafts, sessions
from assistant.storage.transaction import Transaction


class Drafts:
    """`store_ports.Drafts` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def put(self, draft: StoredDraft, *, at: datetime) -> bool:
        """Keep the draft unless a version as new is kept already; says whether it was."""
        put = insert_or_replace_older(
            self._in, drafts, drafts.c.session_id, drafts.c.owner_id, version=drafts.c.version
        )
        values = {
            "session_id": draft.session_id,
            "owner_id": draft.owner_id,
            "text": draft.text,
            "version": draft.version,
            "updated_at": at,
        }
        return await self._in.changed(put, values) == 1

    async def get(self, owner_id: str, session_id: str) -> StoredDraft | None:
        """The draft of an owner in a session that is not deleted."""
        row = await self._in.row(
            select(drafts)
            .join(sessions, sessions.c.id == drafts.c.session_id)
            .where(
                drafts.c.owner_id == owner_id,
                drafts.c.session_id == session_id,
                sessions.c.state != SessionState.DELETED,
            )
        )
        return row and StoredDraft(row.owner_id, row.session_id, row.text, row.version)
