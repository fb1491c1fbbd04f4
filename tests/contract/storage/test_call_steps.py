"""A task's moves around its calls: stored, settled, parked, picked up; by attempt, and a stop wins."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from assistant.domain.log import Folded, Position
from assistant.domain.task import TASK, TaskEvent, TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCallReason, ToolCallState
from assistant.domain.transcript import PartKind
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import (
    ANSWER,
    SESSION,
    TASK_ID,
    WORKER,
    Seed,
    a_call,
    a_task,
    at,
    numbered,
    said,
)

Move = Callable[[SqlStore, str, int], Awaitable[bool]]
RUNNING = a_task(state=TaskState.STREAMING, attempt=2, worker=WORKER)
STEP = Folded(said("So far").with_call("a").with_call("b"), Position(2, 3), attempt=2)


async def store_calls(store: SqlStore, task_id: str, attempt: int) -> bool:
    calls = [a_call(f"{each} of {task_id}", task_id=task_id, offset=6, version=7) for each in "ab"]
    async with store.write() as unit:
        return await unit.tasks.store_calls(task_id, attempt, STEP, calls, version=7)


async def results(store: SqlStore, task_id: str, attempt: int) -> bool:
    async with store.write() as unit:
        return await unit.tasks.results(task_id, attempt, version=7)


async def park(store: SqlStore, task_id: str, attempt: int) -> bool:
    async with store.write() as unit:
        return await unit.tasks.park(task_id, attempt, version=7)


async def unpark(store: SqlStore, task_id: str, attempt: int) -> bool:
    async with store.write() as unit:
        return await unit.tasks.unpark(task_id, version=7)


MOVES: dict[TaskEvent, Move] = {
    TaskEvent.CALLS_STORED: store_calls,
    TaskEvent.RESULTS: results,
    TaskEvent.PARK: park,
    TaskEvent.DECIDED: unpark,
}


@pytest.mark.parametrize("event", MOVES)
async def test_a_move_is_legal_where_the_table_says_so(store: SqlStore, seed: Seed, event: TaskEvent) -> None:
    for n, state in enumerate(TaskState):
        task = numbered(n, state=state, attempt=2, worker=WORKER)
        await seed.turn(task)
        answer = await seed.message(task.answer_id)
        legal = (state, event) in TASK.arrows
        assert await MOVES[event](store, task.id, 2) is legal
        after = await seed.task(task.id)
        if legal:
            assert (after.state, after.version) == (TASK.next(state, event), 7)
            assert after.worker == (None if event is TaskEvent.PARK else WORKER)
        else:
            assert (after, await seed.message(task.answer_id)) == (task, answer)


@pytest.mark.parametrize("event", [event for event in MOVES if event is not TaskEvent.DECIDED])
@pytest.mark.parametrize("attempt", [1, 3])
async def test_a_move_of_another_attempt_is_refused(
    store: SqlStore, seed: Seed, event: TaskEvent, attempt: int
) -> None:
    (source,) = TASK.sources(event)
    task = replace(RUNNING, state=source)
    await seed.turn(task)
    assert not await MOVES[event](store, TASK_ID, attempt)
    assert await seed.task() == task


@pytest.mark.parametrize("event", MOVES)
async def test_a_stop_wins_against_every_move(store: SqlStore, seed: Seed, event: TaskEvent) -> None:
    (source,) = TASK.sources(event)
    await seed.turn(replace(RUNNING, state=source))
    async with store.write() as unit:
        stopped = await unit.tasks.request_stop(TASK_ID, at=at(1), version=2)
    for attempt in (2, 3):
        assert not await MOVES[event](store, TASK_ID, attempt)
    assert await seed.task() == stopped


async def test_a_step_is_stored_whole_with_its_calls_its_text_and_its_message(
    store: SqlStore, seed: Seed
) -> None:
    await seed.turn(RUNNING, said("So"))
    assert await store_calls(store, TASK_ID, 2)
    task = await seed.task()
    assert (task.state, task.offset, [call.id for call in task.tool_calls]) == (
        TaskState.TOOL_CALLING,
        6,
        ["a of task-1", "b of task-1"],
    )
    async with store.read() as unit:
        assert await unit.tasks.stored(TASK_ID) == STEP
    message = await seed.message(ANSWER)
    assert (message.text, message.parts, message.version) == ("So far", STEP.transcript.parts, 7)
    assert [part.kind for part in message.parts] == [PartKind.TEXT, PartKind.TOOL_CALL, PartKind.TOOL_CALL]


async def test_a_step_is_stored_once(store: SqlStore, seed: Seed) -> None:
    await seed.turn(RUNNING)
    stored = await asyncio.gather(*(store_calls(store, TASK_ID, 2) for _ in range(10)))
    assert sum(stored) == 1
    assert len((await seed.task()).tool_calls) == 2


async def test_a_parked_task_is_claimed_by_nobody_until_it_was_decided(store: SqlStore, seed: Seed) -> None:
    await seed.turn(replace(RUNNING, state=TaskState.TOOL_CALLING))
    assert await park(store, TASK_ID, 2)

    async def claim() -> object:
        async with store.write() as unit:
            return await unit.tasks.claim(TASK_ID, "worker-2", TaskState.TOOL_CALLING, limit=9, version=8)

    assert await claim() is None
    async with store.read() as unit:
        assert await unit.tasks.unheld(limit=9, owner_limit=9) == []
        assert await unit.tasks.held_by(WORKER) == []
        assert [task.id for task in await unit.tasks.unfinished(SESSION)] == [TASK_ID]
    assert await unpark(store, TASK_ID, 0)
    assert not await unpark(store, TASK_ID, 0)
    assert await claim()
    assert (await seed.task()).attempt == 3


async def test_an_expiry_tells_what_was_not_decided_from_what_had_not_begun(
    store: SqlStore, seed: Seed
) -> None:
    asks = a_call("asks", needs_decision=True, expires_at=at(2))
    calls = (asks, replace(asks, id="agreed", decision=Decision.APPROVE), a_call("calm"))
    await seed.turn(a_task(state=TaskState.AWAITING_CONFIRM, attempt=2, tool_calls=calls))
    async with store.write() as unit:
        assert await unit.tasks.end(
            *(TASK_ID, 2, TaskState.FAILED, TaskReason.EXPIRED), at=at(5), version=6, transcript=said("x")
        )
    reasons = {call.id: call.reason for call in (await seed.task()).tool_calls}
    assert reasons == {
        "asks": ToolCallReason.EXPIRED,
        "agreed": ToolCallReason.STOPPED,
        "calm": ToolCallReason.STOPPED,
    }


async def test_what_ran_when_the_task_ended_is_lost_whatever_ended_it(store: SqlStore, seed: Seed) -> None:
    running = a_call("a", ToolCallState.EXECUTING, attempt=2)
    await seed.turn(replace(RUNNING, state=TaskState.TOOL_CALLING, tool_calls=(running,)))
    async with store.write() as unit:
        assert await unit.tasks.request_stop(TASK_ID, at=at(1), version=2)
        assert await unit.tasks.end(
            *(TASK_ID, 3, TaskState.DONE, TaskReason.STOPPED), at=at(5), version=6, transcript=said("x")
        )
    (call,) = (await seed.task()).tool_calls
    assert (call.state, call.reason, call.finished_at) == (ToolCallState.FAILED, ToolCallReason.LOST, at(5))


async def test_a_task_whose_call_moved_is_among_the_changes(store: SqlStore, seed: Seed) -> None:
    await seed.turn(replace(RUNNING, state=TaskState.TOOL_CALLING, tool_calls=(a_call("a"),)))
    async with store.write() as unit:
        await unit.calls.start(["a"], TASK_ID, 2, at=at(1), version=5)
    async with store.read() as unit:
        (changed,) = await unit.tasks.changed_since(SESSION, 4)
    assert changed.tool_calls[0].state is ToolCallState.EXECUTING
