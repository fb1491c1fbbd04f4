"""Delete a session, take that back while there is time, and remove for good what nobody took back.

    delete   the stop of what runs and the move to deleted, in one transaction; then the stops are completed
    undo     within 30 s: active again, the stopped answer with the text that it had
    remove   after that: the row and everything of it; the keys of its sends stay, so that none sends again

From the first commit on the session is for everybody as if it never was. No runner may claim what runs
in it, since its stop was requested with it; a death before the stops are complete is mended as any
stop half done.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.domain.errors import NotFound, StoreUnavailable
from assistant.domain.ports import Clock
from assistant.domain.records import Wish
from assistant.domain.session import Session, SessionEvent
from assistant.domain.store_ports import Store
from assistant.services.stopping import Stopping
from assistant.services.wishes import Wishes

UNDO_SECONDS = 30.0
BATCH = 20

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Deleted:
    """What became of a session, and until when that can be taken back."""

    session_id: str
    undo_until: datetime


class Deleting:
    """The use cases around a session's end."""

    def __init__(
        self,
        store: Store,
        stopping: Stopping,
        wishes: Wishes,
        clock: Clock,
        *,
        undo_seconds: float = UNDO_SECONDS,
    ) -> None:
        self._store = store
        self._stopping = stopping
        self._wishes = wishes
        self._clock = clock
        self._undo = timedelta(seconds=undo_seconds)

    async def delete(self, owner_id: str, session_id: str, wish: Wish | None = None) -> Deleted:
        """Delete the session; what runs in it ends as done(stopped) with the text that it has.

        Case B125: the deletion wins over everything that is still being written. Raises NotFound for a
        session that is not the owner's, or is deleted already, and what `Wishes.accept` raises.
        """
        now = self._clock.now()
        async with self._store.write() as unit:
            earlier = await self._wishes.accept(unit, owner_id, wish)
            if earlier is not None:
                return Deleted(earlier["session_id"], datetime.fromisoformat(earlier["undo_until"]))
            await unit.sessions.bump(session_id, owner_id=owner_id)
            if await unit.sessions.get(owner_id, session_id) is None:
                raise NotFound()
            for task in await unit.tasks.unfinished(session_id):
                await self._stopping.request(unit, task)
            stopped = await unit.tasks.unfinished(session_id)
            await unit.sessions.move(session_id, SessionEvent.DELETE, at=now)
            deleted = Deleted(session_id, now + self._undo)
            result = {"session_id": session_id, "undo_until": deleted.undo_until.isoformat()}
            await self._wishes.settle(unit, owner_id, wish, result)
        with suppress(StoreUnavailable):  # it is deleted; the reconciler completes the stop
            for task in stopped:
                await self._stopping.complete(task)
        return deleted

    async def undo(self, owner_id: str, session_id: str, wish: Wish | None = None) -> Session:
        """Bring a deleted session back as it was, but active and with its answer stopped.

        Returns the session; one that is not deleted stays as it is. Raises NotFound when it is not the
        owner's or the time has passed, and what `Wishes.accept` raises.
        """
        now = self._clock.now()
        async with self._store.write() as unit:
            if await self._wishes.accept(unit, owner_id, wish) is None:
                await unit.sessions.bump(session_id, owner_id=owner_id)
                if await unit.sessions.may_return(owner_id, session_id, deleted_after=now - self._undo):
                    await unit.sessions.move(session_id, SessionEvent.UNDO, at=now)
                await self._wishes.settle(unit, owner_id, wish, {"session_id": session_id})
            session = await unit.sessions.get(owner_id, session_id)
            if session is None:
                raise NotFound()
            return session

    async def remove_expired(self) -> int:
        """Remove the sessions whose time for an undo has passed, some at a time; returns how many."""
        moment = self._clock.now() - self._undo
        async with self._store.read() as unit:
            expired = await unit.sessions.deleted_before(moment, limit=BATCH)
        removed = 0
        for session_id in expired:
            try:
                async with self._store.write() as unit:
                    await unit.keys.keep_sends(session_id)
                    removed += await unit.sessions.remove(session_id, deleted_before=moment)
            except StoreUnavailable:
                raise
            except Exception:
                # One that cannot be removed must not keep the others; it is deleted for everybody anyway.
                _log.exception("session %s could not be removed", session_id)
        return removed
