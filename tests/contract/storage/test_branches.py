"""The walk along a branch: pages, siblings, broken references, and a cost that does not grow (Case B059)."""

import logging
from typing import Any

import pytest
from sqlalchemy import insert, update
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.sql import Executable

from assistant.domain.message import Message
from assistant.storage.schema import messages
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import NOON, OWNER, SESSION, Seed, a_message, a_session
from tests.contract.storage.statements import statements

LONG = 10_000


async def branch(store: SqlStore, leaf: str | None, limit: int = 50) -> tuple[list[str], bool]:
    async with store.read() as unit:
        page, has_older = await unit.messages.branch(SESSION, leaf, limit=limit)
    return [message.id for message in page], has_older


async def end_of_branch(store: SqlStore, leaf: str | None) -> str | None:
    async with store.read() as unit:
        return await unit.messages.end_of_branch(SESSION, leaf)


async def below(store: SqlStore, above: str, leaf: str, limit: int = 50) -> list[str] | None:
    async with store.read() as unit:
        message = await unit.messages.get(OWNER, above)
        assert message is not None
        found = await unit.messages.below(message, leaf, limit=limit)
    return None if found is None else [message.id for message in found]


async def behind_the_store(url: str, statement: Executable, values: Any = None) -> None:
    """Write past the repositories, as a bug or a restored backup would."""
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(statement, values)
    await engine.dispose()


def turns(count: int) -> list[Message]:
    """question-0, answer-0, question-1, ... each the parent of the next, all of the same millisecond."""
    made: list[Message] = []
    for n in range(count):
        for kind in ("question", "answer"):
            made.append(a_message(f"{kind}-{n}", parent_id=made[-1].id if made else None))
    return made


async def test_a_branch_is_shown_oldest_first(store: SqlStore, seed: Seed) -> None:
    """Case B150."""
    await seed.session()
    await seed.messages(*turns(20))
    expected = ([message.id for message in turns(20)], False)
    for _ in range(5):
        assert await branch(store, "answer-19") == expected


async def test_a_page_holds_the_last_messages_and_says_that_older_ones_exist(
    store: SqlStore, seed: Seed
) -> None:
    await seed.session()
    await seed.messages(*turns(3))
    assert await branch(store, "answer-2", limit=2) == (["question-2", "answer-2"], True)
    assert await branch(store, "answer-0", limit=2) == (["question-0", "answer-0"], False)
    assert await branch(store, "answer-0", limit=1) == (["answer-0"], True)


async def test_only_the_chosen_branch_is_shown_and_siblings_are_named(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.messages(
        a_message("question-1"),
        a_message("answer-1", parent_id="question-1"),
        a_message("answer-2", parent_id="question-1"),
        a_message("question-2", parent_id="answer-2"),
    )
    assert await branch(store, "question-2") == (["question-1", "answer-2", "question-2"], False)
    async with store.read() as unit:
        page, _ = await unit.messages.branch(SESSION, "question-2", limit=50)
    assert [m.siblings for m in page] == [("question-1",), ("answer-1", "answer-2"), ("question-2",)]


async def test_an_empty_session_has_an_empty_branch(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    assert await branch(store, None) == ([], False)
    assert await branch(store, "nowhere") == ([], False)
    assert await end_of_branch(store, "nowhere") is None


@pytest.mark.parametrize("leaf", [None, "nowhere", "question-9"])
async def test_a_leaf_that_is_not_there_falls_back_to_the_newest_message(
    store: SqlStore, seed: Seed, caplog: pytest.LogCaptureFixture, leaf: str | None
) -> None:
    """Case B059: also when the leaf is a message of another session."""
    await seed.session()
    await seed.session(a_session("session-2"))
    await seed.messages(*turns(2), a_message("question-9", session_id="session-2"))
    with caplog.at_level(logging.WARNING):
        page, has_older = await branch(store, leaf)
    assert (page, has_older) == ([message.id for message in turns(2)], False)
    assert SESSION in caplog.text
    assert await end_of_branch(store, leaf) == "answer-1"


async def test_the_end_of_a_branch_is_its_leaf(store: SqlStore, seed: Seed) -> None:
    """Case B055."""
    await seed.session()
    await seed.messages(*turns(2))
    assert await end_of_branch(store, "answer-0") == "answer-0"


async def test_what_stands_below_a_message_comes_in_pages(store: SqlStore, seed: Seed) -> None:
    """Case B175."""
    await seed.session()
    await seed.messages(*turns(3))
    assert await below(store, "question-0", "answer-2", limit=2) == ["answer-0", "question-1"]
    assert await below(store, "question-1", "answer-2") == ["answer-1", "question-2", "answer-2"]
    assert await below(store, "answer-2", "answer-2") == []


async def test_whether_a_message_is_on_a_branch_is_asked_without_a_page(store: SqlStore, seed: Seed) -> None:
    """A page that meets no fork goes on where the message stands: whoever pages asks first."""
    await seed.session()
    await seed.messages(*turns(3), a_message("other", parent_id="answer-0"))
    assert await below(store, "question-1", "other", limit=0) is None
    assert await below(store, "answer-0", "other", limit=0) == []
    assert await below(store, "answer-0", "other", limit=1) == ["other"]
    assert await below(store, "question-1", "other", limit=1) == ["answer-1"]
    assert await below(store, "answer-1", "answer-2", limit=0) == []


async def test_what_stands_below_is_of_the_chosen_branch(store: SqlStore, seed: Seed) -> None:
    """Where branches begin, and where others stand in between."""
    await seed.session()
    await seed.messages(
        a_message("question-1"),
        a_message("answer-1", parent_id="question-1"),
        a_message("question-2", parent_id="answer-1"),
        a_message("answer-2", parent_id="question-1"),
        a_message("question-3", parent_id="answer-2"),
        a_message("answer-3", parent_id="question-2"),
    )
    assert await below(store, "question-1", "question-3") == ["answer-2", "question-3"]
    assert await below(store, "question-1", "answer-3") == ["answer-1", "question-2", "answer-3"]
    assert await below(store, "question-2", "answer-3", limit=1) == ["answer-3"]
    assert await below(store, "answer-2", "answer-3") is None
    assert await below(store, "answer-1", "question-3", limit=0) is None


async def test_a_cycle_ends_the_walk(
    url: str, store: SqlStore, seed: Seed, caplog: pytest.LogCaptureFixture
) -> None:
    """Case B059: the readable part is shown, once, and a new message can be added to it."""
    await seed.session()
    await seed.messages(*turns(3))
    cycle = update(messages).where(messages.c.id == "question-0").values(parent_id="answer-2")
    await behind_the_store(url, cycle)
    with caplog.at_level(logging.WARNING):
        assert await branch(store, "answer-2") == ([message.id for message in turns(3)], False)
    assert "question-0" in caplog.text
    await seed.messages(a_message("question-3", parent_id="answer-2"))
    assert (await branch(store, "question-3", limit=2)) == (["answer-2", "question-3"], True)


async def test_a_parent_in_another_session_ends_the_walk(url: str, store: SqlStore, seed: Seed) -> None:
    """Case B059: nothing of another session is ever shown."""
    await seed.session()
    await seed.session(a_session("session-2", owner_id="owner-2"))
    await seed.messages(a_message("question-9", session_id="session-2"), *turns(2))
    stray = update(messages).where(messages.c.id == "question-1").values(parent_id="question-9")
    await behind_the_store(url, stray)
    assert await branch(store, "answer-1") == (["question-1", "answer-1"], False)


async def test_a_page_of_a_long_session_costs_no_more_queries_than_of_a_short_one(
    url: str, store: SqlStore, seed: Seed
) -> None:
    await seed.session()
    rows = [
        {
            "id": f"m-{n}",
            "session_id": SESSION,
            "owner_id": OWNER,
            "parent_id": f"m-{n - 1}" if n else None,
            "role": "assistant" if n % 2 else "user",
            "text": "x" * 100,
            "parts": [],
            "attachments": [],
            "position": n + 1,
            "client_id": None,
            "version": 1,
            "created_at": NOON,
        }
        for n in range(LONG)
    ]
    await behind_the_store(url, insert(messages), rows)
    newest = [f"m-{n}" for n in range(LONG - 50, LONG)]
    with statements() as long:
        assert await branch(store, newest[-1]) == (newest, True)
    with statements() as short:
        assert await branch(store, "m-60") == ([f"m-{n}" for n in range(11, 61)], True)
    assert len(long) == len(short) <= 2
    # Downwards too: what stands side by side is read without a walk from the leaf.
    with statements() as far:
        assert await below(store, "m-60", newest[-1], limit=30) == [f"m-{n}" for n in range(61, 91)]
    assert [sql for sql, _ in far if "RECURSIVE" in sql] == []
