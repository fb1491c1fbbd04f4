"""Bring an anonymous owner to another device, by a code that is used once (decision 0019).

    this device: make ──▶ code          the other: use(code) ──▶ the same owner there
                                                     ├─ bring: what it had moves along
                                                     └─ leave: what it had is out of reach

An owner is a signed cookie and nothing else: whoever holds it sees everything. So a code is short-lived,
stored by its digest alone, and no answer tells a wrong one from one that was used or is over.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from assistant.domain.device_link import DeviceLink, new_code, read
from assistant.domain.errors import AlreadyLinked, ChoiceNeeded, CodeUnknown, NotFound, OwnerNamed
from assistant.domain.ports import Clock
from assistant.domain.records import Owner, OwnerKind
from assistant.domain.store_ports import Store
from assistant.services.owner_seal import KnownOwner
from assistant.services.wrong_tries import WrongTries

CODE_SECONDS = 600
MOST_OPEN = 3
REMEMBERED_SECONDS = 3600
"""So long after its time an owner can still see that a code was used."""

STRAGGLER_PASSES = 3


@dataclass(frozen=True, slots=True)
class Linked:
    """Who the device is from now on, and how many conversations came along."""

    owner: KnownOwner
    brought: int


class Linking:
    """The use cases around a code. `key` is the server's secret."""

    def __init__(self, store: Store, clock: Clock, key: Callable[[], str], tries: WrongTries) -> None:
        self._store = store
        self._clock = clock
        self._key = key
        self._tries = tries

    async def make(self, owner: KnownOwner) -> tuple[str, DeviceLink]:
        """A new code, which nobody can read again, and its link. The oldest open one goes when there are too
        many. OwnerNamed for an owner whom a name brings anywhere."""
        _anonymous(owner)
        now, code = self._clock.now(), new_code()
        link = DeviceLink(
            self._clock.id(), owner.id, self._digest(code), now, now + timedelta(seconds=CODE_SECONDS)
        )
        async with self._store.write() as unit:
            await unit.owners.add(Owner(owner.id, OwnerKind.ANONYMOUS, None, now))
            await unit.links.sweep(expired_before=now - timedelta(seconds=REMEMBERED_SECONDS))
            await unit.links.add(link, most_open=MOST_OPEN)
        return code, link

    async def made_by(self, owner_id: str) -> list[DeviceLink]:
        """The codes of an owner that are still remembered, newest first."""
        async with self._store.read() as unit:
            return await unit.links.of_owner(owner_id)

    async def take_back(self, owner_id: str, link_id: str) -> None:
        """Have a code count for nothing from now on; NotFound when there is none of the owner's."""
        async with self._store.write() as unit:
            if not await unit.links.take_back(owner_id, link_id):
                raise NotFound()

    async def own_sessions(self, owner: KnownOwner | None) -> int:
        """How many conversations a device would have to leave or to bring along."""
        if owner is None:
            return 0
        _anonymous(owner)
        async with self._store.read() as unit:
            return await unit.belongings.sessions(owner.id)

    async def use(
        self, given: str, former: KnownOwner | None, *, bring: bool | None, address: str, device: str
    ) -> Linked:
        """Make the device of `former` one of the owner who made the code; of two devices at once one wins.

        `bring` says whether what it had comes along; ChoiceNeeded, with the number, when it has
        conversations and nothing is said. Raises CodeUnknown for a code that is wrong, used, taken back or
        over, all alike; AlreadyLinked; OwnerNamed; TooManyTries.
        """
        sessions = await self.own_sessions(former)
        counted = self._tries.begin(address)
        code = read(given)
        async with self._store.read() as unit:
            link = await unit.links.open_of(self._digest(code or ""), now=self._clock.now())
        if code is None or link is None or not hmac.compare_digest(link.digest, self._digest(code)):
            raise CodeUnknown()
        if former is not None and former.id == link.owner_id:
            self._tries.forgive(counted)
            raise AlreadyLinked()
        if sessions and bring is None:
            self._tries.forgive(counted)
            raise ChoiceNeeded(sessions=sessions)
        brings = former if bring or not sessions else None
        brought = await self._carry_out(link, brings, device)
        self._tries.forgive(counted)
        return Linked(KnownOwner(link.owner_id), brought)

    async def _carry_out(self, link: DeviceLink, brings: KnownOwner | None, device: str) -> int:
        brought = 0
        async with self._store.write() as unit:
            if not await unit.links.use(link.id, on=device, now=self._clock.now()):
                raise CodeUnknown()
            if brings is not None:
                brought = await unit.belongings.move(brings.id, link.owner_id)
        # A send of another tab of the device may have been stored while this one was carried out.
        for _ in range(STRAGGLER_PASSES if brings is not None else 0):
            async with self._store.write() as unit:
                late = await unit.belongings.move(brings.id, link.owner_id) if brings else 0
            brought += late
            if not late:
                break
        return brought

    def _digest(self, code: str) -> str:
        return hmac.new(self._key().encode(), b"device link " + code.encode(), hashlib.sha256).hexdigest()


def _anonymous(owner: KnownOwner) -> None:
    if owner.kind is OwnerKind.NAMED:
        raise OwnerNamed()
