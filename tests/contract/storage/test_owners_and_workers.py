"""Owners that may be added twice, and workers whose number only rises."""

import asyncio
from dataclasses import replace

from assistant.domain.records import Owner, OwnerKind, WorkerBeat
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import NOON, OWNER, an_owner


async def test_an_owner_that_is_added_again_stays_as_it_was(store: SqlStore) -> None:
    named = Owner(OWNER, OwnerKind.NAMED, "Zoë", NOON)
    async with store.write() as unit:
        await unit.owners.add(named)
        await unit.owners.add(replace(named, name="Other"))
    async with store.read() as unit:
        assert await unit.owners.get(OWNER) == named
        assert await unit.owners.get("nobody") is None


async def test_two_first_requests_of_an_owner_do_not_disturb_each_other(store: SqlStore) -> None:
    async def add() -> None:
        async with store.write() as unit:
            await unit.owners.add(an_owner())

    await asyncio.gather(*(add() for _ in range(5)))
    async with store.read() as unit:
        assert await unit.owners.get(OWNER) == an_owner()


async def test_a_beat_raises_the_number_and_makes_a_missing_row(store: SqlStore) -> None:
    async with store.write() as unit:
        for worker in ("b", "a", "b", "b"):
            await unit.workers.beat(worker)
    async with store.read() as unit:
        assert await unit.workers.all() == [WorkerBeat("a", 1), WorkerBeat("b", 3)]


async def test_a_removed_worker_begins_again_at_one(store: SqlStore) -> None:
    async with store.write() as unit:
        await unit.workers.beat("a")
        await unit.workers.beat("a")
        await unit.workers.remove("a")
        await unit.workers.remove("a")
        assert await unit.workers.all() == []
        await unit.workers.beat("a")
        assert await unit.workers.all() == [WorkerBeat("a", 1)]
