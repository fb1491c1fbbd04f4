"""Discard the summaries of a session's chosen branch: its model is told messages again from the next one on.

No message is changed. Where those that are told do not fit the model's window, the next answer has a new
summary made.
"""

from assistant.domain.errors import NotFound
from assistant.domain.records import Wish
from assistant.domain.store_ports import Store
from assistant.services.wishes import Wishes


class Discarding:
    """The use case of a summary's end."""

    def __init__(self, store: Store, wishes: Wishes) -> None:
        self._store = store
        self._wishes = wishes

    async def discard(self, owner_id: str, session_id: str, wish: Wish | None = None) -> None:
        """Take the summary of the chosen branch away with those that it was made of, and any that would count
        in its place; without one nothing is changed. An answer that is being written goes on with what it
        was told.

        Raises NotFound for a session that is not the owner's, and what `Wishes.accept` raises.
        """
        async with self._store.write() as unit:
            if await self._wishes.accept(unit, owner_id, wish) is not None:
                return
            await unit.sessions.bump(session_id, owner_id=owner_id)
            session = await unit.sessions.get(owner_id, session_id)
            if session is None:
                raise NotFound()
            leaf = await unit.messages.end_of_branch(session_id, session.leaf_id)
            while summary := await unit.summaries.of_branch(session_id, leaf):
                await unit.summaries.remove(summary.id)
            await self._wishes.settle(unit, owner_id, wish, {"session_id": session_id})
