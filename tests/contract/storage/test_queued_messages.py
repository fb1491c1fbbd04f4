"""What waits in a session: in order, taken out once, and found when it is its turn."""

from dataclasses import replace

import pytest

from assistant.domain.records import KeyState
from assistant.domain.session import SessionEvent
from assistant.domain.task import TaskReason, TaskState
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import (
    OWNER,
    SESSION,
    TASK_ID,
    Seed,
    a_key,
    a_message,
    a_queued,
    a_session,
    a_task,
    at,
)


async def put(store: SqlStore, *keys: str, session_id: str = SESSION) -> None:
    async with store.write() as unit:
        await unit.sessions.bump(session_id)
        for key in keys:
            await unit.queued.add(a_queued(key, session_id=session_id))


async def ready(store: SqlStore) -> list[str]:
    async with store.read() as unit:
        return await unit.queued.ready(limit=5)


async def test_messages_wait_in_the_order_in_which_they_came(store: SqlStore, seed: Seed) -> None:
    """Case B108."""
    await seed.session()
    await seed.session(a_session("session-2"))
    await put(store, "z", "a")
    await put(store, "other", session_id="session-2")
    whole = a_queued(
        "m", text="Größe 👩‍💻", model="big", parameters={"top_p": 0.5}, created_at=at(2), version=7
    )
    async with store.write() as unit:
        added = await unit.queued.add(whole)
    async with store.read() as unit:
        waiting = await unit.queued.of_session(SESSION)
        assert await unit.queued.oldest(SESSION) == waiting[0]
        assert await unit.queued.oldest("nowhere") is None
    assert [(each.key, each.position) for each in waiting] == [("z", 1), ("a", 2), ("m", 3)]
    assert waiting[2] == added == replace(whole, position=3)


async def test_a_message_is_taken_out_once_by_its_owner(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await put(store, "first", "second")
    async with store.write() as unit:
        assert not await unit.queued.take("owner-2", "first")
        assert await unit.queued.take(OWNER, "first")
        assert not await unit.queued.take(OWNER, "first")
    async with store.read() as unit:
        assert [each.key for each in await unit.queued.of_session(SESSION)] == ["second"]


async def test_a_message_gets_another_text_at_its_place_and_keeps_all_else(
    store: SqlStore, seed: Seed
) -> None:
    await seed.session()
    await put(store, "first", "second", "third")
    text = "Größe 👩‍💻"
    async with store.write() as unit:
        version = await unit.sessions.bump(SESSION)
        before = await unit.queued.of_session(SESSION)
        assert await unit.queued.rewrite(OWNER, "second", text, version=version)
        assert not await unit.queued.rewrite("owner-2", "second", "theirs", version=version)
        assert not await unit.queued.rewrite(OWNER, "fourth", "nowhere", version=version)
    async with store.read() as unit:
        after = await unit.queued.of_session(SESSION)
    assert after == [before[0], replace(before[1], text=text, version=version), before[2]]


@pytest.mark.parametrize(
    ("state", "reason", "goes_on"),
    [
        (TaskState.PENDING, None, False),
        (TaskState.AWAITING_CONFIRM, None, False),
        (TaskState.DONE, TaskReason.COMPLETE, True),
        (TaskState.DONE, TaskReason.LENGTH, True),
        (TaskState.DONE, TaskReason.STOPPED, False),
        (TaskState.FAILED, TaskReason.ERROR, False),
        (TaskState.FAILED, TaskReason.INTERRUPTED, False),
    ],
)
async def test_it_is_a_turn_only_after_an_answer_that_ended_well(
    store: SqlStore, seed: Seed, state: TaskState, reason: TaskReason | None, goes_on: bool
) -> None:
    """Case B110."""
    await seed.turn(a_task(state=state, **({} if reason is None else {"reason": reason})))
    assert await ready(store) == []
    await put(store, "waits")
    assert await ready(store) == ([SESSION] if goes_on else [])


async def test_the_end_that_came_last_decides_on_whichever_branch(store: SqlStore, seed: Seed) -> None:
    """Case B110: by version, since two ends may carry the same time."""
    await seed.turn(a_task(state=TaskState.FAILED, version=5))
    await seed.messages(a_message("answer-2"))
    async with store.write() as unit:
        await unit.tasks.add(a_task("task-2", answer_id="answer-2", state=TaskState.DONE, version=9))
        await unit.tasks.add(a_task("task-0", answer_id="answer-2", state=TaskState.FAILED, version=7))
    await put(store, "waits")
    assert await ready(store) == [SESSION]
    async with store.read() as unit:
        last = await unit.tasks.last_ended(SESSION)
        assert last is not None
        assert last.id == "task-2"
        assert await unit.tasks.last_ended("nowhere") is None
    async with store.write() as unit:
        await unit.tasks.add(a_task("task-3", answer_id="answer-2", version=11))
    async with store.read() as unit:
        assert await unit.tasks.last_ended(SESSION) == last
    assert await ready(store) == []


async def test_a_deleted_session_has_no_turn(store: SqlStore, seed: Seed) -> None:
    await seed.turn(a_task(TASK_ID, state=TaskState.DONE))
    await put(store, "waits")
    async with store.write() as unit:
        await unit.sessions.move(SESSION, SessionEvent.DELETE, at=at(1))
    assert await ready(store) == []


async def test_the_key_of_a_queued_send_is_never_swept(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.write() as unit:
        await unit.keys.insert(a_key())
        await unit.keys.settle(OWNER, "key-1", {"session_id": SESSION}, state=KeyState.QUEUED)
        assert await unit.keys.sweep(now=at(10_000)) == 0
        assert await unit.keys.get(OWNER, "key-1") == a_key(
            state=KeyState.QUEUED, result={"session_id": SESSION}
        )


async def test_a_removal_withdraws_the_keys_of_what_still_waits(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.session(a_session("session-2"))
    await put(store, "waits")
    await put(store, "elsewhere", session_id="session-2")
    async with store.write() as unit:
        for key in ("waits", "elsewhere", "sent"):
            await unit.keys.insert(a_key(key))
            await unit.keys.settle(
                OWNER, key, {"session_id": SESSION}, state=KeyState("accepted" if key == "sent" else "queued")
            )
        await unit.sessions.move(SESSION, SessionEvent.DELETE, at=at(1))
        assert await unit.sessions.remove(SESSION, deleted_before=at(1))
    async with store.read() as unit:
        found = [await unit.keys.get(OWNER, key) for key in ("waits", "elsewhere", "sent")]
        assert [each.key for each in await unit.queued.of_session("session-2")] == ["elsewhere"]
    assert [each and each.state for each in found] == [
        KeyState.WITHDRAWN,
        KeyState.QUEUED,
        KeyState.ACCEPTED,
    ]
    assert [each and each.result for each in found] == [
        None,
        {"session_id": SESSION},
        {"session_id": SESSION},
    ]
