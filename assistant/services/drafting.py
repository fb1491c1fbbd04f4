"""Keep what the user has typed and not sent, per session and owner; the newer version wins (DESIGN 7)."""

from collections.abc import Awaitable, Callable

from assistant.domain.errors import InvalidInput, NotFound
from assistant.domain.ports import Clock
from assistant.domain.records import StoredDraft
from assistant.domain.store_ports import Store
from assistant.domain.transcript import well_formed
from assistant.services.turns import MAX_MESSAGE_CHARACTERS

MAX_VERSION = 2**53


class Drafting:
    """The draft use cases."""

    def __init__(self, store: Store, clock: Clock, ring: Callable[[str], Awaitable[None]]) -> None:
        self._store = store
        self._clock = clock
        self._ring = ring

    async def save(self, owner_id: str, session_id: str, text: str, version: int) -> bool:
        """Keep a draft unless a version as new is kept; says whether it was.

        Raises NotFound for a session that is not the owner's, InvalidInput for a text that could not be
        sent or a version that is no count. It raises no version of the session, whose rows are the same; who
        lists the owner's sessions is rung, and looks for the draft of the one that it shows.
        """
        if len(text) > MAX_MESSAGE_CHARACTERS or not 0 <= version <= MAX_VERSION:
            raise InvalidInput("This draft cannot be kept: it is too long, or its version is no count.")
        async with self._store.write() as unit:
            if await unit.sessions.get(owner_id, session_id) is None:
                raise NotFound()
            draft = StoredDraft(owner_id, session_id, well_formed(text), version)
            is_newest = await unit.drafts.put(draft, at=self._clock.now())
        if is_newest:
            await self._ring(owner_id)
        return is_newest

    async def get(self, owner_id: str, session_id: str) -> StoredDraft | None:
        """The draft kept for an owner in a session."""
        async with self._store.read() as unit:
            return await unit.drafts.get(owner_id, session_id)
