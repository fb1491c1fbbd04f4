"""Know a named owner: the row that says who an id is, written before the first thing they make."""

from assistant.domain.ports import Clock
from assistant.domain.records import Owner, OwnerKind
from assistant.domain.store_ports import Store
from assistant.services.owner_seal import KnownOwner


class Knowing:
    """Stores named owners; an anonymous one is stored with the first wish."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: set[str] = set()

    async def know(self, owner: KnownOwner) -> None:
        """Make sure that a named owner's row exists, once a process."""
        if owner.kind is not OwnerKind.NAMED or owner.id in self._known:
            return
        async with self._store.write() as unit:
            await unit.owners.add(Owner(owner.id, owner.kind, owner.name, self._clock.now()))
        self._known.add(owner.id)
