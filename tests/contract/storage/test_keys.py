"""Idempotency keys: one of two rivals wins, and the other waits to be told (DESIGN 8)."""

import asyncio
from dataclasses import replace

import pytest

from assistant.domain.records import KeyState
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import OWNER, Seed, a_key, a_session, at

RESULT = {"session_id": "session-1", "task_id": "task-1"}


async def test_a_key_is_inserted_once_for_each_owner(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.session(a_session("session-2", owner_id="owner-2"))
    async with store.write() as unit:
        assert await unit.keys.insert(a_key())
        assert not await unit.keys.insert(a_key(fingerprint="other"))
        assert await unit.keys.insert(a_key(owner_id="owner-2"))
    async with store.read() as unit:
        assert await unit.keys.get(OWNER, "key-1") == a_key()
        assert await unit.keys.get(OWNER, "key-2") is None


async def test_a_withdrawn_key_needs_no_kind_and_no_fingerprint(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    withdrawn = a_key(kind=None, fingerprint=None, state=KeyState.WITHDRAWN)
    async with store.write() as unit:
        assert await unit.keys.insert(withdrawn)
    async with store.read() as unit:
        assert await unit.keys.get(OWNER, "key-1") == withdrawn


async def test_a_settled_key_remembers_its_result(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.write() as unit:
        await unit.keys.insert(a_key())
        await unit.keys.settle(OWNER, "key-1", RESULT)
    async with store.read() as unit:
        assert await unit.keys.get(OWNER, "key-1") == replace(a_key(), result=RESULT)


@pytest.mark.parametrize("commits", [True, False])
async def test_an_insert_waits_for_its_rival(store: SqlStore, seed: Seed, commits: bool) -> None:
    await seed.session()
    first_in, let_go, events = asyncio.Event(), asyncio.Event(), []

    async def first() -> None:
        async with store.write() as unit:
            assert await unit.keys.insert(a_key())
            await unit.keys.settle(OWNER, "key-1", RESULT)
            first_in.set()
            await let_go.wait()
            events.append("first ends")
            if not commits:
                raise RuntimeError("on purpose")

    async def second() -> bool:
        await first_in.wait()
        let_go.set()
        async with store.write() as unit:
            inserted = await unit.keys.insert(a_key())
            events.append("second is told")
            if not inserted:
                known = await unit.keys.get(OWNER, "key-1")
                assert known is not None
                assert known.result == RESULT
        return inserted

    async with asyncio.timeout(10):
        ended, inserted = await asyncio.gather(first(), second(), return_exceptions=True)
    assert (ended is None) is commits
    assert inserted is not commits
    assert events == ["first ends", "second is told"]


async def test_a_sweep_deletes_what_has_expired(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.write() as unit:
        for n in range(3):
            await unit.keys.insert(a_key(f"key-{n}", expires_at=at(n)))
        assert await unit.keys.sweep(now=at(1)) == 2
        assert await unit.keys.sweep(now=at(1)) == 0
        assert await unit.keys.get(OWNER, "key-2") is not None
