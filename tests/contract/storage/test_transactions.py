"""Write transactions in one order, reads that see one state, and what is announced of them (DESIGN 4)."""

import asyncio
import logging

import pytest

from assistant.domain.errors import NotFound
from assistant.domain.records import Bump
from assistant.storage.store import SqlStore
from tests.contract.storage.conftest import POSTGRESQL, only_on
from tests.contract.storage.seeding import NOON, OWNER, SESSION, Seed, a_message, a_session, an_owner

WRITERS = 50


async def version_of(store: SqlStore, session_id: str = SESSION) -> int:
    async with store.read() as unit:
        session = await unit.sessions.get(OWNER, session_id)
    assert session is not None
    return session.version


async def test_a_clean_exit_commits(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    assert await version_of(store) == 0


async def test_an_error_rolls_everything_back_and_announces_nothing(
    store: SqlStore, seed: Seed, announced: list[list[Bump]]
) -> None:
    await seed.session()

    async def write() -> None:
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
            await unit.messages.add(a_message("question-1"))
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        await write()
    assert await version_of(store) == 0
    async with store.read() as unit:
        assert await unit.messages.get(OWNER, "question-1") is None
    assert announced == []


async def test_the_version_rises_once_a_write(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    for expected in (1, 2, 3):
        async with store.write() as unit:
            assert await unit.sessions.bump(SESSION) == expected
            assert await unit.sessions.bump(SESSION) == expected
    assert await version_of(store) == 3


async def test_a_bump_of_an_unknown_session_is_not_found(
    store: SqlStore, announced: list[list[Bump]]
) -> None:
    with pytest.raises(NotFound):
        async with store.write() as unit:
            await unit.sessions.bump("nowhere")
    assert announced == []


async def test_a_commit_announces_the_sessions_that_it_bumped(
    store: SqlStore, seed: Seed, announced: list[list[Bump]]
) -> None:
    await seed.session()
    await seed.session(a_session("session-2"))
    async with store.write() as unit:
        await unit.sessions.bump("session-2")
        await unit.sessions.bump(SESSION)
        assert announced == []
    assert announced == [[Bump(OWNER, "session-2", 1), Bump(OWNER, SESSION, 1)]]


async def test_an_announcement_comes_when_others_can_read_and_write(url: str) -> None:
    async def announce(bumps: list[Bump]) -> None:
        seen.append(await version_of(store))
        async with store.write() as unit:
            await unit.workers.beat("worker-1")

    seen: list[int] = []
    store = SqlStore(url, announce=announce)
    await Seed(store).session()
    async with asyncio.timeout(5), store.write() as unit:
        await unit.sessions.bump(SESSION)
    assert seen == [1]
    await store.close()


async def test_a_failed_announcement_is_logged_and_harms_nobody(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def announce(bumps: list[Bump]) -> None:
        raise OSError("the log is away")

    store = SqlStore(url, announce=announce)
    await Seed(store).session()
    with caplog.at_level(logging.ERROR):
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
    assert await version_of(store) == 1
    assert SESSION in caplog.text
    await store.close()


async def test_many_writers_of_one_session_happen_one_after_the_other(store: SqlStore, seed: Seed) -> None:
    """Case B150: positions are one sequence without holes, whoever wrote at the same time."""
    await seed.session()

    async def write(n: int) -> tuple[int, int]:
        async with store.write() as unit:
            version = await unit.sessions.bump(SESSION)
            message = await unit.messages.add(a_message(f"question-{n}", version=version))
        return version, message.position

    async with asyncio.timeout(30):
        written = await asyncio.gather(*(write(n) for n in range(WRITERS)))
    assert sorted(written) == [(n, n) for n in range(1, WRITERS + 1)]
    assert await version_of(store) == WRITERS


async def test_two_stores_share_a_database_also_when_writers_read_first(
    url: str, store: SqlStore, seed: Seed
) -> None:
    """Two stores are what two processes are: they see each other through the database alone."""
    await seed.session()
    other = SqlStore(url)

    async def write(through: SqlStore) -> int:
        async with through.write() as unit:
            assert await unit.sessions.get(OWNER, SESSION) is not None
            return await unit.sessions.bump(SESSION)

    async with asyncio.timeout(30):
        versions = await asyncio.gather(*(write(s) for _ in range(10) for s in (store, other)))
    assert sorted(versions) == list(range(1, 21))
    await other.close()


@only_on(POSTGRESQL)
async def test_two_sessions_do_not_wait_for_each_other(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.session(a_session("session-2"))
    async with store.write() as first:
        await first.sessions.bump(SESSION)
        async with asyncio.timeout(5), store.write() as second:
            assert await second.sessions.bump("session-2") == 1


async def test_a_read_sees_one_state_around_the_commit_of_another(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.read() as reader:
        before = await reader.sessions.get(OWNER, SESSION)
        async with store.write() as writer:
            await writer.sessions.bump(SESSION)
            await writer.messages.add(a_message("question-1"))
        assert await reader.sessions.get(OWNER, SESSION) == before
        assert await reader.messages.changed_since(SESSION, 0) == []
    assert await version_of(store) == 1


async def test_readers_run_beside_a_writer_and_do_not_see_it(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.write() as writer:
        await writer.sessions.bump(SESSION)
        async with asyncio.timeout(5):
            assert await asyncio.gather(*(version_of(store) for _ in range(20))) == [0] * 20


async def test_a_read_cannot_write(store: SqlStore) -> None:
    with pytest.raises(Exception, match=r"read.?only"):
        async with store.read() as unit:
            await unit.owners.add(an_owner())


async def test_touch_and_title_are_stored_in_milliseconds(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.write() as unit:
        await unit.sessions.touch(SESSION, at=NOON.replace(microsecond=123_456), title="New")
    async with store.read() as unit:
        session = await unit.sessions.get(OWNER, SESSION)
    assert session is not None
    assert session.updated_at == NOON.replace(microsecond=123_000)
    assert session.title == "New"
