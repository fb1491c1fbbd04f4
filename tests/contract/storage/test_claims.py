"""Claims: one winner, never a stopped task, never more than an owner's share (DESIGN 6, Claim)."""

import asyncio
from itertools import product

from assistant.domain.task import TASK, Task, TaskEvent, TaskState
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import TASK_ID, WORKER, Seed, a_call, a_task, at, numbered

CLAIMS = (TaskEvent.CLAIM, TaskEvent.CLAIM_CALLS)
LEGAL = {(before, after) for (before, event), after in TASK.arrows.items() if event in CLAIMS}


async def claim(
    store: SqlStore,
    task_id: str = TASK_ID,
    worker: str = WORKER,
    state: TaskState = TaskState.STREAMING,
    limit: int = 9,
) -> Task | None:
    async with store.write() as unit:
        return await unit.tasks.claim(task_id, worker, state, limit=limit, version=7)


async def test_a_claim_begins_the_next_attempt_of_its_worker(store: SqlStore, seed: Seed) -> None:
    await seed.turn(a_task(attempt=2, tool_calls=(a_call("call-1"),)))
    claimed = await claim(store)
    assert claimed is not None
    assert claimed == await seed.task()
    assert (claimed.attempt, claimed.worker, claimed.version) == (3, WORKER, 7)
    assert claimed.state is TaskState.STREAMING
    assert [call.id for call in claimed.tool_calls] == ["call-1"]


async def test_a_claim_is_legal_where_the_table_says_so(store: SqlStore, seed: Seed) -> None:
    for n, (before, after) in enumerate(product(TaskState, TaskState)):
        task = numbered(n, state=before)
        await seed.turn(task)
        claimed = await claim(store, task.id, state=after, limit=99)
        assert (claimed is not None) == ((before, after) in LEGAL), (before, after)


async def test_one_of_many_claimers_wins(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    claims = await asyncio.gather(*(claim(store, worker=f"worker-{n}") for n in range(20)))
    won = [task for task in claims if task is not None]
    assert len(won) == 1
    assert won[0].attempt == 1
    assert await seed.task() == won[0]


async def test_a_held_or_unknown_task_is_not_claimed(store: SqlStore, seed: Seed) -> None:
    await seed.turn(a_task(state=TaskState.STREAMING, attempt=1, worker="worker-2"))
    assert await claim(store) is None
    assert await claim(store, "nowhere") is None
    assert (await seed.task()).attempt == 1


async def test_a_task_that_was_asked_to_stop_is_never_claimed(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    async with store.write() as unit:
        assert await unit.tasks.request_stop(TASK_ID, at=at(1), version=2)
    assert await claim(store) is None
    assert (await seed.task()).worker is None


async def test_an_owner_runs_no_more_than_the_limit(store: SqlStore, seed: Seed) -> None:
    first, second, third = await seed.turns(3)
    foreign = numbered(9, owner_id="owner-2")
    await seed.turn(foreign)
    assert await claim(store, first, limit=2)
    assert await claim(store, second, limit=2)
    assert await claim(store, third, limit=2) is None
    assert await claim(store, foreign.id, limit=1)
    async with store.write() as unit:
        assert await unit.tasks.release(first, 1)
    assert await claim(store, third, limit=2)


async def test_claims_at_the_same_time_keep_the_limit_too(store: SqlStore, seed: Seed) -> None:
    waiting = await seed.turns(8)
    claims = await asyncio.gather(*(claim(store, task_id, limit=2) for task_id in waiting))
    assert sum(task is not None for task in claims) == 2


async def test_a_released_task_is_claimed_again_as_a_newer_attempt(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    assert await claim(store)
    async with store.write() as unit:
        assert await unit.tasks.release(TASK_ID, 1)
        assert not await unit.tasks.release(TASK_ID, 1)
    again = await claim(store, worker="worker-2")
    assert again is not None
    assert (again.attempt, again.worker) == (2, "worker-2")
    async with store.write() as unit:
        assert not await unit.tasks.release(TASK_ID, 1)
    assert (await seed.task()).worker == "worker-2"
