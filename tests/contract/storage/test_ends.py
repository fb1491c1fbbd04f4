"""How a task ends: by its attempt, where the table says so, once and for ever (DESIGN 5)."""

import asyncio
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from assistant.domain.log import Folded, Position
from assistant.domain.machine import IllegalMove
from assistant.domain.task import REASONS, TASK, TaskError, TaskEvent, TaskReason, TaskState
from assistant.domain.tool_call import ToolCallReason, ToolCallState
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import ANSWER, TASK_ID, WORKER, Seed, a_call, a_task, at, numbered, said

RUNNING = a_task(state=TaskState.STREAMING, attempt=2, worker=WORKER)
ENDS = [(state, reason) for state, reasons in REASONS.items() for reason in sorted(reasons)]
EVENTS = {
    (TaskState.DONE, TaskReason.COMPLETE): TaskEvent.FINISH,
    (TaskState.DONE, TaskReason.LENGTH): TaskEvent.FINISH,
    (TaskState.DONE, TaskReason.STOPPED): TaskEvent.STOP,
    (TaskState.FAILED, TaskReason.ERROR): TaskEvent.FAIL,
    (TaskState.FAILED, TaskReason.INTERRUPTED): TaskEvent.FAIL,
    (TaskState.FAILED, TaskReason.TIMEOUT): TaskEvent.FAIL,
    (TaskState.FAILED, TaskReason.EXPIRED): TaskEvent.EXPIRE,
}


async def end(
    store: SqlStore,
    attempt: int = 2,
    state: TaskState = TaskState.DONE,
    reason: TaskReason = TaskReason.COMPLETE,
    task_id: str = TASK_ID,
    **given: Any,
) -> bool:
    async with store.write() as unit:
        return await unit.tasks.end(
            task_id, attempt, state, reason, at=at(5), version=6, transcript=said("whole"), **given
        )


async def test_an_end_is_stored_whole(store: SqlStore, seed: Seed) -> None:
    await seed.turn(RUNNING, said("snapshot"))
    error = TaskError("provider", "It said no.")
    assert await end(store, 2, TaskState.FAILED, TaskReason.ERROR, error=error, usage={"tokens": 3})
    assert await seed.task() == replace(
        RUNNING,
        state=TaskState.FAILED,
        reason=TaskReason.ERROR,
        worker=None,
        offset=5,
        error=error,
        usage={"tokens": 3},
        finished_at=at(5),
        version=6,
    )
    answer = await seed.message(ANSWER)
    assert (answer.text, answer.parts, answer.version) == ("whole", said("whole").parts, 6)


async def test_an_end_is_legal_where_the_table_says_so(store: SqlStore, seed: Seed) -> None:
    for n, (before, how) in enumerate(product(TaskState, ENDS)):
        task = numbered(n, state=before, attempt=2)
        await seed.turn(task)
        answer = await seed.message(task.answer_id)
        legal = (before, EVENTS[how]) in TASK.arrows
        assert await end(store, 2, *how, task_id=task.id) == legal, (before, how)
        if not legal:
            assert (await seed.task(task.id), await seed.message(task.answer_id)) == (task, answer)


async def test_a_reason_that_the_state_cannot_carry_is_a_defect(store: SqlStore, seed: Seed) -> None:
    await seed.turn(RUNNING)
    with pytest.raises(IllegalMove):
        await end(store, 2, TaskState.DONE, TaskReason.ERROR)
    with pytest.raises(IllegalMove):
        await end(store, 2, TaskState.STREAMING, TaskReason.COMPLETE)


@pytest.mark.parametrize("attempt", [1, 3])
async def test_an_end_by_another_attempt_is_refused(store: SqlStore, seed: Seed, attempt: int) -> None:
    await seed.turn(RUNNING)
    before = await seed.task(), await seed.message(ANSWER)
    assert not await end(store, attempt)
    assert (await seed.task(), await seed.message(ANSWER)) == before


async def test_a_stopped_task_ends_only_as_stopped(store: SqlStore, seed: Seed) -> None:
    await seed.turn(RUNNING)
    async with store.write() as unit:
        assert await unit.tasks.request_stop(TASK_ID, at=at(1), version=2)
    assert not await end(store, 2)
    for state, reason in ENDS:
        if reason is not TaskReason.STOPPED:
            assert not await end(store, 3, state, reason)
    assert await end(store, 3, TaskState.DONE, TaskReason.STOPPED)
    assert (await seed.task()).reason is TaskReason.STOPPED


async def test_one_of_many_ends_wins_against_a_stop(store: SqlStore, seed: Seed) -> None:
    await seed.turn(RUNNING)

    async def stop() -> bool:
        async with store.write() as unit:
            return await unit.tasks.request_stop(TASK_ID, at=at(1), version=2) is not None

    outcomes = await asyncio.gather(*(end(store) for _ in range(5)), stop(), *(end(store) for _ in range(5)))
    assert sum(outcomes) == 1


async def test_an_end_settles_the_calls(store: SqlStore, seed: Seed) -> None:
    done, failed = ToolCallState.COMPLETED, ToolCallState.FAILED
    calls = (
        a_call("a"),
        a_call("b", ToolCallState.EXECUTING, attempt=2),
        a_call("c", done, result="r"),
        a_call("d", failed, reason=ToolCallReason.DENIED),
    )
    await seed.turn(a_task(state=TaskState.TOOL_CALLING, attempt=2, worker=WORKER, tool_calls=calls))
    assert await end(store, 2, TaskState.FAILED, TaskReason.INTERRUPTED)
    assert (await seed.task()).tool_calls == (
        replace(calls[0], state=failed, reason=ToolCallReason.STOPPED, finished_at=at(5), version=6),
        replace(calls[1], state=failed, reason=ToolCallReason.LOST, finished_at=at(5), version=6),
        *calls[2:],
    )


@pytest.mark.parametrize(("state", "reason"), ENDS)
async def test_a_terminal_task_never_moves_again(
    store: SqlStore, seed: Seed, state: TaskState, reason: TaskReason
) -> None:
    call = a_call("a", ToolCallState.COMPLETED, result="r")
    await seed.turn(a_task(state=state, reason=reason, attempt=2, tool_calls=(call,)))
    before = await seed.task(), await seed.message(ANSWER)
    async with store.write() as unit:
        move = unit.tasks
        for target in TaskState:
            assert await move.claim(TASK_ID, WORKER, target, limit=9, version=9) is None
        for attempt in (1, 2, 3):
            assert not await move.release(TASK_ID, attempt)
            assert not await move.snapshot(TASK_ID, attempt, Folded(said("late"), Position(attempt, 1)))
        assert await move.request_stop(TASK_ID, at=at(9), version=9) is None
    for attempt, (late_state, late_reason) in product((1, 2, 3), ENDS):
        assert not await end(store, attempt, late_state, late_reason)
    assert (await seed.task(), await seed.message(ANSWER)) == before
