"""Summaries: stored by the attempt that holds the task alone, and counted on the branches that hold them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assistant.domain.session import SessionEvent
from assistant.domain.summary import Summary
from assistant.domain.task import TaskState
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import (
    ANSWER,
    NOON,
    OWNER,
    QUESTION,
    SESSION,
    TASK_ID,
    WORKER,
    Seed,
    a_message,
    a_task,
    at,
)
from tests.contract.storage.statements import statements

THIRD, EDITED = "question-3", "question-edited"


def a_summary(summary_id: str = "summary-1", through_id: str = ANSWER, **given: Any) -> Summary:
    plain = Summary(summary_id, SESSION, through_id, None, f"text of {summary_id} 你好", None, NOON)
    return replace(plain, **given)


@pytest.fixture
async def held(seed: Seed) -> None:
    """question-1, answer-1 (held by an attempt), question-2, answer-2, question-3; and an edit."""
    await seed.turn(a_task(state=TaskState.STREAMING, attempt=2, worker=WORKER))
    await seed.messages(
        a_message("question-2", parent_id=ANSWER),
        a_message("answer-2", parent_id="question-2"),
        a_message(THIRD, parent_id="answer-2"),
        a_message(EDITED, parent_id=ANSWER),
    )


async def add(store: SqlStore, summary: Summary, *, attempt: int = 2) -> bool:
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        return await unit.summaries.add(summary, TASK_ID, attempt)


async def counts_on(store: SqlStore, leaf: str) -> str | None:
    async with store.read() as unit:
        found = await unit.summaries.of_branch(SESSION, leaf)
    return found.id if found else None


@pytest.mark.usefixtures("held")
async def test_it_is_stored_whole(store: SqlStore) -> None:
    summary = a_summary(based_on=None, model="big")
    assert await add(store, summary)
    async with store.read() as unit:
        assert await unit.summaries.of_branch(SESSION, THIRD) == summary


@pytest.mark.usefixtures("held")
async def test_an_attempt_that_lost_the_task_stores_none(store: SqlStore) -> None:
    """Of two workers that summarise the same, one is stored."""
    assert not await add(store, a_summary(), attempt=1)
    assert await counts_on(store, THIRD) is None
    assert await add(store, a_summary(), attempt=2)


@pytest.mark.parametrize(
    "differs",
    [{"worker": None}, {"stop_requested_at": at(1)}, {"state": TaskState.DONE}],
    ids=["released", "stopped", "ended"],
)
async def test_a_released_a_stopped_and_an_ended_task_store_none(
    store: SqlStore, seed: Seed, differs: dict[str, Any]
) -> None:
    """Each is told by what it alone differs in from a task that is held."""
    held: dict[str, Any] = {"state": TaskState.STREAMING, "attempt": 2, "worker": WORKER}
    await seed.turn(a_task(**{**held, **differs}))
    await seed.messages(a_message("question-2", parent_id=ANSWER))
    assert not await add(store, a_summary())
    assert await counts_on(store, "question-2") is None


@pytest.mark.usefixtures("held")
async def test_there_is_one_through_a_message(store: SqlStore) -> None:
    assert await add(store, a_summary())
    assert not await add(store, a_summary("summary-2"))
    assert await counts_on(store, THIRD) == "summary-1"


@pytest.mark.usefixtures("held")
async def test_it_counts_on_the_branches_that_go_on_from_its_last_message(store: SqlStore) -> None:
    await add(store, a_summary("near", "answer-2"))
    assert await counts_on(store, THIRD) == "near"
    assert await counts_on(store, EDITED) is None
    assert await counts_on(store, "question-2") is None

    await add(store, a_summary("far", ANSWER))
    assert [await counts_on(store, leaf) for leaf in (THIRD, EDITED, "question-2")] == ["near", "far", "far"]
    assert await counts_on(store, "nothing") is None
    async with store.read() as unit:
        assert await unit.summaries.of_branch(SESSION, None) is None


@pytest.mark.usefixtures("held")
async def test_it_counts_only_once_something_follows_on_the_branch(store: SqlStore) -> None:
    await add(store, a_summary("near", "answer-2"))
    assert await counts_on(store, "answer-2") is None
    await add(store, a_summary("far", ANSWER))
    assert await counts_on(store, "answer-2") == "far"
    assert await counts_on(store, ANSWER) is None


@pytest.mark.usefixtures("held")
async def test_of_many_texts_the_one_that_counts_is_read(store: SqlStore) -> None:
    for number, through in enumerate((QUESTION, ANSWER, "question-2", "answer-2")):
        await add(store, a_summary(f"summary-{number}", through))
    with statements() as seen:
        assert await counts_on(store, EDITED) == "summary-1"
    reading = [(sql, parameters) for sql, parameters in seen if "summary.text" in sql]
    assert len(reading) == 1
    assert "summary-1" in str(reading[0][1])


@pytest.mark.usefixtures("held")
async def test_it_is_taken_away_with_those_that_it_was_made_of(store: SqlStore) -> None:
    await add(store, a_summary("one", QUESTION))
    await add(store, a_summary("two", ANSWER, based_on="one"))
    await add(store, a_summary("three", "answer-2", based_on="two"))
    await add(store, a_summary("other", "question-2", based_on="two"))
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        assert await unit.summaries.remove("three")
        assert not await unit.summaries.remove("three")
    assert await counts_on(store, EDITED) is None
    assert await counts_on(store, THIRD) == "other"


@pytest.mark.usefixtures("held")
async def test_one_that_is_based_on_a_deleted_one_is_not_stored(store: SqlStore) -> None:
    await add(store, a_summary("one", QUESTION))
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        await unit.summaries.remove("one")
    assert not await add(store, a_summary("two", ANSWER, based_on="one"))
    assert await counts_on(store, THIRD) is None


@pytest.mark.usefixtures("held")
async def test_it_goes_with_its_session(store: SqlStore) -> None:
    await add(store, a_summary())
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        await unit.sessions.move(SESSION, SessionEvent.DELETE, at=NOON)
    async with store.write() as unit:
        assert await unit.sessions.remove(SESSION, deleted_before=NOON + timedelta(seconds=1))
    assert await counts_on(store, THIRD) is None
    async with store.read() as unit:
        assert await unit.sessions.get(OWNER, SESSION) is None
