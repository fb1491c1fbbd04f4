"""Device links: each used once, seen by their owner alone; and all that an owner has, moved at once."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import insert, select

from assistant.domain.device_link import DeviceLink
from assistant.domain.message import Message
from assistant.domain.records import Bump, KeyState, Note, StoredDraft
from assistant.domain.session import SessionEvent, SessionState
from assistant.domain.task import TaskState
from assistant.domain.tool_call import Decision
from assistant.storage.schema import attachments, metadata
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import (
    OWNER,
    WORKER,
    Seed,
    a_call,
    a_key,
    a_message,
    a_queued,
    a_session,
    a_task,
    an_owner,
    at,
    numbered,
)

FORMER = "owner-2"
MOST_OPEN = 3


def a_link(number: int, *, owner: str = OWNER) -> DeviceLink:
    return DeviceLink(f"link-{number}", owner, f"digest-{number}", at(number), at(600 + number))


@pytest.fixture(autouse=True)
async def owners(store: SqlStore) -> None:
    async with store.write() as unit:
        for owner in (OWNER, FORMER):
            await unit.owners.add(an_owner(owner))


async def add(store: SqlStore, *links: DeviceLink) -> None:
    async with store.write() as unit:
        for link in links:
            await unit.links.add(link, most_open=MOST_OPEN)


async def use(store: SqlStore, link_id: str = "link-1", seconds: float = 5) -> bool:
    async with store.write() as unit:
        return await unit.links.use(link_id, on="Firefox on Android", now=at(seconds))


async def test_a_link_is_found_until_it_is_used_or_over(store: SqlStore) -> None:
    await add(store, a_link(1))
    async with store.read() as unit:
        assert await unit.links.open_of("digest-1", now=at(600)) == a_link(1)
        assert await unit.links.open_of("digest-1", now=at(601)) is None
        assert await unit.links.open_of("digest-2", now=at(5)) is None
    assert await use(store)
    async with store.read() as unit:
        assert await unit.links.open_of("digest-1", now=at(6)) is None
        (link,) = await unit.links.of_owner(OWNER)
    assert (link.used_at, link.used_on) == (at(5), "Firefox on Android")


async def test_of_many_at_once_one_uses_it(store: SqlStore) -> None:
    await add(store, a_link(1))
    assert sorted(await asyncio.gather(*(use(store) for _ in range(8)))) == [False] * 7 + [True]


async def test_one_that_is_over_or_taken_back_is_not_used(store: SqlStore) -> None:
    await add(store, a_link(1), a_link(2))
    async with store.write() as unit:
        assert not await unit.links.take_back(FORMER, "link-2")
        assert await unit.links.take_back(OWNER, "link-2")
        assert not await unit.links.take_back(OWNER, "link-2")
    assert not await use(store, "link-1", seconds=601)
    assert not await use(store, "link-2")


async def test_a_few_are_open_at_a_time_and_the_newest_stay(store: SqlStore) -> None:
    await add(store, a_link(1), a_link(0, owner=FORMER))
    assert await use(store)
    await add(store, *(a_link(number) for number in (2, 3, 4, 5)))
    async with store.read() as unit:
        kept = [link.id for link in await unit.links.of_owner(OWNER)]
        assert len(await unit.links.of_owner(FORMER)) == 1
    assert kept == ["link-5", "link-4", "link-3", "link-1"]


async def test_those_that_are_long_over_go(store: SqlStore) -> None:
    await add(store, a_link(1), a_link(2))
    async with store.write() as unit:
        await unit.links.sweep(expired_before=at(601))
        assert [link.id for link in await unit.links.of_owner(OWNER)] == ["link-2"]


async def moved(store: SqlStore) -> int:
    async with store.write() as unit:
        return await unit.belongings.move(FORMER, OWNER)


async def test_all_that_an_owner_has_moves_in_one_transaction(store: SqlStore, seed: Seed) -> None:
    await everything(store, seed)
    before = await _rows(store, FORMER)
    assert [name for name, rows in before.items() if not rows] == [], "a table without a row to move"

    assert await moved(store) == 1

    after, ours = await _rows(store, FORMER), await _rows(store, OWNER)
    assert not any(after.values())
    for name, rows in before.items():
        if name != "device_link":
            assert len(ours[name]) == len(rows), name
    async with store.read() as unit:
        session = await unit.sessions.get(OWNER, "session-1")
        task = await unit.tasks.get(OWNER, "task-1")
        draft = await unit.drafts.get(OWNER, "session-1")
        assert await unit.sessions.get(FORMER, "session-1") is None
        assert await unit.messages.by_client_id(OWNER, "client") is not None
        assert (await unit.keys.get(OWNER, "withdrawn")) is not None
    assert session
    assert task
    assert draft
    assert task.tool_calls[0].decided_by == OWNER


async def everything(store: SqlStore, seed: Seed) -> None:
    """A row of the former owner's in every table that carries an owner's id."""
    task = a_task(owner_id=FORMER, state=TaskState.STREAMING, attempt=1, worker=WORKER)
    await seed.session(a_session(owner_id=FORMER))
    await seed.session(a_session("session-deleted", owner_id=FORMER))
    await seed.messages(a_message("question-1", client_id="client"), a_message("answer-1"))
    async with store.write() as unit:
        await unit.tasks.add(task)
        await unit.calls.add([a_call("call-1", decision=Decision.APPROVE, decided_by=FORMER)])
        await unit.keys.insert(a_key("withdrawn", owner_id=FORMER, state=KeyState.WITHDRAWN))
        await unit.queued.add(a_queued("waits", owner_id=FORMER))
        await unit.drafts.put(StoredDraft(FORMER, "session-1", "half a th", 4), at=at(1))
        await unit.notes.add(Note("note", FORMER, "call-1", "Title", "text", at(1)))
        await unit.sessions.move("session-deleted", SessionEvent.DELETE, at=at(2))
    await add(store, a_link(1, owner=FORMER))
    # Nothing writes these yet.
    file = {"id": "file", "name": "a.txt", "media_type": "text/plain", "size": 1, "created_at": at(1)}
    await _insert(store, attachments, owner_id=FORMER, session_id=None, message_id=None, **file)
    if "owner_id" in metadata.tables["share"].c:
        await _insert(store, metadata.tables["share"], **_a_share())


def _a_share() -> dict[str, Any]:
    share = {"id": "share", "session_id": "session-1", "owner_id": FORMER, "with_arguments": False}
    return {**share, "version": 1, "created_at": at(1), "revoked_at": None}


async def test_followers_of_the_new_owner_are_told(
    store: SqlStore, seed: Seed, announced: list[list[Bump]]
) -> None:
    await seed.session(a_session(owner_id=FORMER))
    await moved(store)
    assert announced[-1] == [Bump(OWNER, "session-1", 1)]


async def test_a_key_that_both_have_used_is_the_new_owners(store: SqlStore, seed: Seed) -> None:
    """Both minted the same key: nothing is lost but what the moved one remembers."""
    await seed.turn(numbered(1))
    await seed.turn(numbered(2, owner_id=FORMER))
    await seed.messages(_sent("question-3", "session-1"), _sent("question-4", "session-2"))
    async with store.write() as unit:
        await unit.keys.insert(a_key("same", fingerprint="ours"))
        await unit.keys.insert(a_key("waiting", fingerprint="ours"))
        for key in ("same", "waiting"):
            await unit.keys.insert(a_key(key, owner_id=FORMER, fingerprint="theirs", state=KeyState.QUEUED))
        await unit.queued.add(a_queued("waiting", session_id="session-2", owner_id=FORMER))

    await moved(store)

    async with store.read() as unit:
        for key in ("same", "waiting"):
            kept = await unit.keys.get(OWNER, key)
            assert kept
            assert kept.fingerprint == "ours"
        mine = await unit.messages.by_client_id(OWNER, "same")
        theirs = await unit.messages.get(OWNER, "question-4")
        (waiting,) = await unit.queued.of_session("session-2")
        its_key = await unit.keys.get(OWNER, waiting.key)
    assert mine
    assert mine.session_id == "session-1"
    assert theirs
    assert theirs.client_id is None
    assert (waiting.owner_id, waiting.text) == (OWNER, "text of waiting")
    assert waiting.key != "waiting"
    assert its_key
    assert its_key.fingerprint == "theirs"


async def test_conversations_are_counted_without_those_that_were_deleted(store: SqlStore, seed: Seed) -> None:
    for number, state in enumerate(SessionState):
        await seed.session(a_session(f"session-{number}", owner_id=FORMER, state=state))
    async with store.read() as unit:
        assert await unit.belongings.sessions(FORMER) == len(SessionState) - 1
        assert await unit.belongings.sessions(OWNER) == 0


async def test_nothing_is_nothing_to_move(store: SqlStore, announced: list[list[Bump]]) -> None:
    assert await moved(store) == 0
    assert announced == []


def _sent(message_id: str, session_id: str) -> Message:
    return a_message(message_id, session_id=session_id, client_id="same")


async def _insert(store: SqlStore, table: Any, **values: Any) -> None:
    async with store._engines.write.begin() as connection:
        await connection.execute(insert(table).values(**values))


async def _rows(store: SqlStore, owner_id: str) -> dict[str, list[Any]]:
    """The rows of every table that carry this owner's id, also those of tables that are new."""
    tables = [table for table in metadata.sorted_tables if "owner_id" in table.c]
    async with store._engines.read.connect() as connection:
        return {
            table.name: list(
                (await connection.execute(select(table).where(table.c.owner_id == owner_id))).all()
            )
            for table in tables
        }
