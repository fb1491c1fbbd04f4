"""A database that is away is said to be away, and the same store works again once it is back (Case B147)."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.domain.errors import StoreUnavailable
from assistant.domain.records import Bump
from assistant.storage.store import SqlStore
from tests.contract.storage.conftest import POSTGRESQL, only_on
from tests.contract.storage.seeding import SESSION, Seed, a_session, an_owner
from tests.support.databases import PostgresServer, sqlite_file, sqlite_url
from tests.support.ports import free_port


async def use(store: SqlStore) -> None:
    async with store.write() as unit:
        await unit.owners.add(an_owner())
    async with store.read() as unit:
        assert await unit.owners.get(an_owner().id) == an_owner()


async def refuse(store: SqlStore) -> None:
    with pytest.raises(StoreUnavailable):
        async with store.write() as unit:
            await unit.owners.add(an_owner())
    with pytest.raises(StoreUnavailable):
        async with store.read() as unit:
            await unit.owners.get(an_owner().id)


@only_on(POSTGRESQL)
async def test_a_server_that_stops_and_starts_is_used_again(
    store: SqlStore, postgres: PostgresServer
) -> None:
    await use(store)
    postgres.stop()
    try:
        await refuse(store)
    finally:
        postgres.start()
    await use(store)


@only_on(POSTGRESQL)
async def test_a_restart_that_nobody_met_is_not_noticed(store: SqlStore, postgres: PostgresServer) -> None:
    await use(store)
    postgres.stop()
    postgres.start()
    await use(store)


@only_on(POSTGRESQL)
async def test_a_server_without_room_for_a_connection_is_away_until_there_is(
    url: str, postgres: PostgresServer
) -> None:
    crowded = SqlStore(url.replace("postgres@", "crowded@"))
    await asyncio.to_thread(postgres.run, "CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
    try:
        with pytest.raises(StoreUnavailable):
            await crowded.open()
        await asyncio.to_thread(postgres.run, "ALTER ROLE crowded CONNECTION LIMIT 1")
        await crowded.open()
    finally:
        await crowded.close()
        await asyncio.to_thread(postgres.run, "DROP ROLE crowded")


@only_on(POSTGRESQL)
async def test_a_store_that_begins_without_its_server_heals(url: str, postgres: PostgresServer) -> None:
    store = SqlStore(url)
    postgres.stop()
    try:
        with pytest.raises(StoreUnavailable):
            await store.open()
    finally:
        postgres.start()
    await use(store)
    await store.close()


@only_on(POSTGRESQL)
async def test_a_server_lost_inside_a_transaction_leaves_nothing_and_announces_nothing(
    store: SqlStore, seed: Seed, postgres: PostgresServer, announced: list[list[Bump]]
) -> None:
    await seed.session()

    async def write() -> None:
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
            postgres.stop()
            try:
                await unit.workers.beat("worker-1")
            finally:
                postgres.start()

    with pytest.raises(StoreUnavailable):
        await write()
    assert announced == []
    async with store.write() as unit:
        assert await unit.sessions.bump(SESSION) == 1


@only_on(POSTGRESQL)
async def test_a_server_lost_before_the_commit_announces_nothing(
    store: SqlStore, seed: Seed, postgres: PostgresServer, announced: list[list[Bump]]
) -> None:
    await seed.session()

    async def write() -> None:
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
            postgres.stop()

    try:
        with pytest.raises(StoreUnavailable):
            await write()
    finally:
        postgres.start()
    assert announced == []


async def test_a_port_on_which_nobody_listens_is_away() -> None:
    store = SqlStore(f"postgresql+asyncpg://nobody@127.0.0.1:{free_port()}/none")
    await refuse(store)
    await store.close()


async def test_a_file_that_cannot_be_opened_is_away_until_it_can(
    sqlite: Callable[[], str], tmp_path: Path
) -> None:
    place = tmp_path / "store.db"
    place.mkdir()
    store = SqlStore(sqlite_url(place))
    await refuse(store)
    place.rmdir()
    sqlite_file(sqlite()).rename(place)
    await use(store)
    await store.close()


async def test_a_broken_rule_is_a_defect_and_not_an_outage(store: SqlStore) -> None:
    with pytest.raises(Exception, match=r"(?i)foreign key") as broken:
        async with store.write() as unit:
            await unit.sessions.add(a_session(owner_id="nobody"))
    assert not isinstance(broken.value, StoreUnavailable)
