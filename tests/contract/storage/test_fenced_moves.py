"""Snapshots and stops by attempt, and the lists from which rescue and reconciler work (DESIGN 6 and 9)."""

from dataclasses import replace

import pytest

from assistant.domain.log import Folded, Position
from assistant.domain.records import Bump
from assistant.domain.task import CLAIMABLE, TASK, Task, TaskEvent, TaskState
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import TASK_ID, WORKER, Seed, a_task, at, numbered, said

RUNNING = a_task(state=TaskState.STREAMING, attempt=2, worker=WORKER)
SNAPSHOT = Folded(said("text"), Position(2, 3), attempt=2)


def ids(found: list[Task]) -> list[str]:
    return [task.id for task in found]


async def test_a_snapshot_raises_no_version_and_announces_nothing(
    store: SqlStore, seed: Seed, announced: list[list[Bump]]
) -> None:
    await seed.turn(RUNNING)
    async with store.write() as unit:
        assert await unit.tasks.snapshot(TASK_ID, 2, SNAPSHOT)
    assert await seed.task() == replace(RUNNING, offset=4)
    assert announced == []


@pytest.mark.parametrize("attempt", [1, 3])
async def test_a_snapshot_of_another_attempt_is_refused(store: SqlStore, seed: Seed, attempt: int) -> None:
    await seed.turn(RUNNING, said("kept"))
    async with store.write() as unit:
        assert not await unit.tasks.snapshot(TASK_ID, attempt, SNAPSHOT)
    async with store.read() as unit:
        assert (await unit.tasks.stored(TASK_ID)).text == "kept"


async def test_a_snapshot_of_a_stopped_or_ended_task_is_refused(store: SqlStore, seed: Seed) -> None:
    await seed.turn(a_task(state=TaskState.DONE, attempt=2))
    async with store.write() as unit:
        assert not await unit.tasks.snapshot(TASK_ID, 2, SNAPSHOT)
        await unit.tasks.add(replace(RUNNING, id="task-2"))
        assert await unit.tasks.request_stop("task-2", at=at(1), version=2)
        assert not await unit.tasks.snapshot("task-2", 2, SNAPSHOT)


async def test_a_stop_is_legal_where_the_table_says_so(store: SqlStore, seed: Seed) -> None:
    for n, state in enumerate(TaskState):
        before = numbered(n, state=state, attempt=4, worker=WORKER)
        await seed.turn(before)
        async with store.write() as unit:
            stopped = await unit.tasks.request_stop(before.id, at=at(3), version=8)
        if state in TASK.sources(TaskEvent.STOP):
            after = replace(before, attempt=5, worker=None, stop_requested_at=at(3), version=8)
            assert stopped == after
        else:
            after = before
            assert stopped is None
        assert await seed.task(before.id) == after


async def test_a_second_stop_keeps_the_first_time_and_fences_the_first_stopper(
    store: SqlStore, seed: Seed
) -> None:
    await seed.turn(RUNNING)
    async with store.write() as unit:
        await unit.tasks.request_stop(TASK_ID, at=at(1), version=2)
        again = await unit.tasks.request_stop(TASK_ID, at=at(9), version=3)
    assert again is not None
    assert (again.attempt, again.stop_requested_at) == (4, at(1))


async def test_a_stop_keeps_the_snapshot(store: SqlStore, seed: Seed) -> None:
    await seed.turn(RUNNING)
    async with store.write() as unit:
        await unit.tasks.snapshot(TASK_ID, 2, SNAPSHOT)
        await unit.tasks.request_stop(TASK_ID, at=at(1), version=2)
    async with store.read() as unit:
        assert await unit.tasks.stored(TASK_ID) == SNAPSHOT


async def test_unheld_lists_claimable_tasks_of_nobody_oldest_first(store: SqlStore, seed: Seed) -> None:
    states = list(TaskState)
    for n, state in enumerate(states):
        await seed.turn(numbered(n, state=state, created_at=at(-n)))
    held = numbered(8, state=TaskState.STREAMING, worker=WORKER)
    await seed.turn(held)
    await seed.turn(numbered(9, stop_requested_at=at(1)))
    expected = [f"task-{n}" for n, state in reversed(list(enumerate(states))) if state in CLAIMABLE]
    async with store.read() as unit:
        assert ids(await unit.tasks.unheld(limit=10, owner_limit=10)) == expected
        assert ids(await unit.tasks.unheld(limit=2, owner_limit=10)) == expected[:2]


async def test_half_stopped_lists_what_was_asked_to_stop_and_has_not_ended(
    store: SqlStore, seed: Seed
) -> None:
    await seed.turn(numbered(1, stop_requested_at=at(2), created_at=at(2)))
    await seed.turn(numbered(2, state=TaskState.AWAITING_CONFIRM, stop_requested_at=at(1)))
    await seed.turn(numbered(3, state=TaskState.DONE, stop_requested_at=at(1)))
    await seed.turn(numbered(4))
    async with store.read() as unit:
        assert ids(await unit.tasks.half_stopped(limit=10)) == ["task-2", "task-1"]
        assert ids(await unit.tasks.half_stopped(limit=1)) == ["task-2"]


async def test_tasks_are_listed_by_the_worker_that_holds_them(store: SqlStore, seed: Seed) -> None:
    await seed.turn(numbered(1, state=TaskState.STREAMING, worker="known"))
    await seed.turn(numbered(2, state=TaskState.TOOL_CALLING, worker="gone"))
    await seed.turn(numbered(3))
    async with store.write() as unit:
        await unit.workers.beat("known")
    async with store.read() as unit:
        assert ids(await unit.tasks.held_by("known")) == ["task-1"]
        assert ids(await unit.tasks.held_by_unknown()) == ["task-2"]
