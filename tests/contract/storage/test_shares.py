"""Shares: one a session that counts, found by anybody until it is revoked or its session is deleted."""

import pytest

from assistant.domain.session import SessionEvent
from assistant.domain.share import Share
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import OWNER, SESSION, Seed, a_session, at

OTHER = "owner-2"


def a_share(number: int = 1, *, session: str = SESSION, with_arguments: bool = False) -> Share:
    return Share(f"share-{number}", session, OWNER, with_arguments, 1, at(number))


@pytest.fixture(autouse=True)
async def session(seed: Seed) -> None:
    await seed.session()


async def add(store: SqlStore, *shares: Share) -> None:
    async with store.write() as unit:
        for share in shares:
            await unit.shares.add(share)


async def revoke(store: SqlStore, number: int, seconds: float = 9) -> None:
    async with store.write() as unit:
        await unit.shares.revoke(f"share-{number}", at=at(seconds), version=2)


async def readable(store: SqlStore, number: int = 1) -> Share | None:
    async with store.read() as unit:
        return await unit.shares.readable(f"share-{number}")


async def of_session(store: SqlStore, owner: str = OWNER) -> Share | None:
    async with store.read() as unit:
        return await unit.shares.of_session(owner, SESSION)


async def test_a_share_is_found_by_its_id_whoever_asks_and_by_its_session_for_its_owner(
    store: SqlStore,
) -> None:
    await add(store, a_share(with_arguments=True))
    assert await readable(store) == a_share(with_arguments=True)
    assert await of_session(store) == a_share(with_arguments=True)
    assert await of_session(store, OTHER) is None
    assert await readable(store, 2) is None


async def test_a_session_has_one_share_that_counts(store: SqlStore, seed: Seed) -> None:
    await seed.session(a_session("session-2"))
    await add(store, a_share(1), a_share(2, session="session-2"))
    with pytest.raises(Exception, match=r"(?i)unique|duplicate"):
        await add(store, a_share(3))

    await revoke(store, 1)
    await add(store, a_share(3))
    assert await of_session(store) == a_share(3)


async def test_a_revoked_share_is_found_by_its_owner_alone(store: SqlStore) -> None:
    await add(store, a_share())
    await revoke(store, 1)
    await revoke(store, 1, seconds=99)

    assert await readable(store) is None
    assert await of_session(store) is None
    async with store.read() as unit:
        found = await unit.shares.get(OWNER, "share-1")
        assert await unit.shares.get(OTHER, "share-1") is None
    assert found is not None
    assert (found.revoked_at, found.version) == (at(9), 2)


async def test_what_readers_see_can_be_said_anew_while_it_counts(store: SqlStore) -> None:
    await add(store, a_share())
    async with store.write() as unit:
        await unit.shares.allow_arguments("share-1", True, version=2)
    found = await readable(store)
    assert found is not None
    assert (found.with_arguments, found.version) == (True, 2)

    await revoke(store, 1)
    async with store.write() as unit:
        await unit.shares.allow_arguments("share-1", False, version=3)
        kept = await unit.shares.get(OWNER, "share-1")
    assert kept is not None
    assert kept.with_arguments


async def test_the_share_of_a_deleted_session_is_not_there_until_an_undo_and_goes_with_it(
    store: SqlStore,
) -> None:
    await add(store, a_share())
    async with store.write() as unit:
        await unit.sessions.move(SESSION, SessionEvent.DELETE, at=at(1))
    assert await readable(store) is None
    assert await of_session(store) is None

    async with store.write() as unit:
        await unit.sessions.move(SESSION, SessionEvent.UNDO, at=at(2))
    assert await readable(store) == a_share()

    async with store.write() as unit:
        await unit.sessions.move(SESSION, SessionEvent.DELETE, at=at(3))
        assert await unit.sessions.remove(SESSION, deleted_before=at(4))
        assert await unit.shares.get(OWNER, "share-1") is None
