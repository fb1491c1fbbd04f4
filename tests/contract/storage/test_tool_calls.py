"""The ledger of calls: each move where the table says so, by whom it must be, and once (DESIGN 5 and 9)."""

import asyncio
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from assistant.domain.machine import IllegalMove
from assistant.domain.task import TASK, Task, TaskReason, TaskState
from assistant.domain.tool_call import (
    REASONS,
    TOOL_CALL,
    Decision,
    ToolCall,
    ToolCallEvent,
    ToolCallReason,
    ToolCallState,
)
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import OWNER, SESSION, TASK_ID, WORKER, Seed, a_call, a_task, at, numbered

REQUESTED, EXECUTING = ToolCallState.REQUESTED, ToolCallState.EXECUTING
COMPLETED, FAILED = ToolCallState.COMPLETED, ToolCallState.FAILED
APPROVE, DENY = Decision.APPROVE, Decision.DENY
MANY = 20

ASKING = a_call("ask", needs_decision=True, expires_at=at(60))


def a_reason(state: ToolCallState) -> ToolCallReason | None:
    return ToolCallReason.ERROR if state is FAILED else None


def calling(*calls: ToolCall, **given: Any) -> Task:
    """A task whose calls attempt 2 runs."""
    plain: dict[str, Any] = {"state": TaskState.TOOL_CALLING, "attempt": 2, "worker": WORKER}
    return a_task(tool_calls=calls, **{**plain, **given})


async def start(
    store: SqlStore, *call_ids: str, attempt: int = 2, task_id: str = TASK_ID, version: int = 7
) -> list[str]:
    async with store.write() as unit:
        return await unit.calls.start(call_ids, task_id, attempt, at=at(3), version=version)


async def settle(
    store: SqlStore,
    call_id: str = "a",
    attempt: int = 2,
    state: ToolCallState = COMPLETED,
    reason: ToolCallReason | None = None,
) -> bool:
    async with store.write() as unit:
        return await unit.calls.settle(call_id, attempt, state, reason, "told", at=at(4), version=8)


async def decide(
    store: SqlStore,
    decision: Decision = APPROVE,
    *,
    call_id: str = "ask",
    arguments_hash: str = "hash",
    seconds: float = 5,
    by: str = OWNER,
    reason: str | None = None,
) -> bool:
    async with store.write() as unit:
        return await unit.calls.decide(
            call_id, arguments_hash, decision, reason=reason, by=by, at=at(seconds), version=9
        )


async def the(seed: Seed, call_id: str = "ask") -> ToolCall:
    (call,) = [call for call in (await seed.task()).tool_calls if call.id == call_id]
    return call


async def stop(store: SqlStore) -> None:
    async with store.write() as unit:
        assert await unit.tasks.request_stop(TASK_ID, at=at(1), version=2)


async def test_calls_are_read_as_they_were_stored_in_the_order_asked_for(store: SqlStore, seed: Seed) -> None:
    calls = (
        a_call("b", COMPLETED, result="r", attempt=1, started_at=at(1), finished_at=at(2), idempotent=True),
        replace(ASKING, id="c", step=2, offset=7, retry_of="b", decision_reason="no"),
        a_call("a", step=3),
    )
    await seed.turn(calling(*calls))
    assert (await seed.task()).tool_calls == calls
    async with store.write() as unit:
        await unit.calls.add([a_call("d", step=3, version=6)])
    assert [call.id for call in (await seed.task()).tool_calls] == ["b", "c", "a", "d"]
    assert (await seed.task()).version == 6


async def test_a_call_is_seen_by_its_owner_alone(store: SqlStore, seed: Seed) -> None:
    await seed.turn(calling(ASKING))
    async with store.read() as unit:
        assert await unit.calls.get(OWNER, "ask") == ASKING
        assert await unit.calls.get("owner-2", "ask") is None
        assert await unit.calls.get(OWNER, "nowhere") is None


async def test_a_start_is_stored_whole_and_shown(store: SqlStore, seed: Seed) -> None:
    task = calling(a_call("a"), a_call("b"))
    await seed.turn(task)
    assert await start(store, "a") == ["a"]
    begun = replace(task.tool_calls[0], state=EXECUTING, attempt=2, started_at=at(3), version=7)
    assert await seed.task() == replace(task, tool_calls=(begun, task.tool_calls[1]), version=7)
    assert await start(store, "a", "nowhere", version=9) == []
    assert (await seed.task()).version == 7


async def test_a_start_is_legal_where_the_tables_say_so(store: SqlStore, seed: Seed) -> None:
    for n, (task_state, state) in enumerate(product(TaskState, ToolCallState)):
        call = a_call(f"call-{n}", state, task_id=f"task-{n}", reason=a_reason(state))
        await seed.turn(numbered(n, state=task_state, attempt=2, worker=WORKER, tool_calls=(call,)))
        legal = (state, ToolCallEvent.START) in TOOL_CALL.arrows and task_state is TaskState.TOOL_CALLING
        assert await start(store, call.id, task_id=f"task-{n}") == ([call.id] if legal else [])


@pytest.mark.parametrize(
    ("decision", "may"),
    [(None, False), (DENY, False), (APPROVE, True)],
    ids=["undecided", "denied", "approved"],
)
async def test_a_call_that_asks_begins_only_when_approved(
    store: SqlStore, seed: Seed, decision: Decision | None, may: bool
) -> None:
    await seed.turn(calling(replace(ASKING, decision=decision)))
    assert (await start(store, "ask") == ["ask"]) is may


@pytest.mark.parametrize("given", [{"attempt": 1}, {"attempt": 3}, {"worker": None}])
async def test_only_the_attempt_that_holds_the_task_begins_its_calls(
    store: SqlStore, seed: Seed, given: dict[str, Any]
) -> None:
    await seed.turn(calling(a_call("a"), **given))
    assert await start(store, "a") == []


async def test_a_stop_wins_against_every_move_but_the_settling_of_what_runs(
    store: SqlStore, seed: Seed
) -> None:
    await seed.turn(calling(a_call("a"), a_call("b", EXECUTING, attempt=2), ASKING))
    await stop(store)
    assert await start(store, "a", attempt=2) == await start(store, "a", attempt=3) == []
    assert not await decide(store)
    assert await settle(store, "b"), "its result is known, and better than not"


async def test_a_call_of_another_task_is_not_begun(store: SqlStore, seed: Seed) -> None:
    await seed.turn(calling(a_call("a")))
    await seed.turn(numbered(2, tool_calls=(a_call("other", task_id="task-2"),)))
    assert await start(store, "a", "other") == ["a"]


async def test_one_of_many_starters_begins_a_call(store: SqlStore, seed: Seed) -> None:
    await seed.turn(calling(a_call("a")))
    begun = await asyncio.gather(*(start(store, "a") for _ in range(MANY)))
    assert sorted(begun, key=len) == [[]] * (MANY - 1) + [["a"]]


async def test_a_settling_is_legal_where_the_table_says_so(store: SqlStore, seed: Seed) -> None:
    ways = [(COMPLETED, None), *((FAILED, reason) for reason in sorted(REASONS[ToolCallEvent.FAIL]))]
    for n, (before, (state, reason)) in enumerate(product(ToolCallState, ways)):
        call = a_call(f"call-{n}", before, task_id=f"task-{n}", attempt=2, reason=a_reason(before))
        task = numbered(n, state=TaskState.TOOL_CALLING, attempt=2, worker=WORKER, tool_calls=(call,))
        await seed.turn(task)
        legal = before is EXECUTING
        assert await settle(store, call.id, 2, state, reason) is legal
        after = replace(call, state=state, reason=reason, result="told", finished_at=at(4), version=8)
        expected = replace(task, tool_calls=(after,), version=8) if legal else task
        assert await seed.task(task.id) == expected


async def test_only_the_attempt_that_began_a_call_settles_it(store: SqlStore, seed: Seed) -> None:
    """Case B066: a zombie's result after the call was settled is refused, as any second one."""
    await seed.turn(calling(a_call("a", EXECUTING, attempt=2)))
    assert not await settle(store, attempt=1)
    assert not await settle(store, attempt=3)
    assert await settle(store, state=FAILED, reason=ToolCallReason.LOST)
    assert not await settle(store)
    assert (await the(seed, "a")).reason is ToolCallReason.LOST


async def test_a_reason_that_a_running_call_cannot_end_with_is_a_defect(store: SqlStore, seed: Seed) -> None:
    await seed.turn(calling(a_call("a", EXECUTING, attempt=2)))
    for state, reason in ((COMPLETED, ToolCallReason.ERROR), (FAILED, None), (FAILED, ToolCallReason.DENIED)):
        with pytest.raises(IllegalMove):
            await settle(store, state=state, reason=reason)


async def test_a_decision_is_stored_whole_and_shown(store: SqlStore, seed: Seed) -> None:
    second = replace(ASKING, id="second")
    task = calling(ASKING, second, state=TaskState.AWAITING_CONFIRM, worker=None)
    await seed.turn(task)
    assert await decide(store)
    assert await decide(store, DENY, call_id="second", by="ada", reason="no")
    approved = replace(ASKING, decision=APPROVE, decided_at=at(5), decided_by=OWNER, version=9)
    denied = replace(
        second,
        state=FAILED,
        reason=ToolCallReason.DENIED,
        decision=DENY,
        decision_reason="no",
        decided_at=at(5),
        decided_by="ada",
        finished_at=at(5),
        version=9,
    )
    assert await seed.task() == replace(task, tool_calls=(approved, denied), version=9)


async def test_a_decision_is_refused_when_it_is_not_asked_for_late_or_about_other_arguments(
    store: SqlStore, seed: Seed
) -> None:
    task = calling(
        ASKING, a_call("calm"), replace(ASKING, id="ended", state=FAILED, reason=ToolCallReason.STOPPED)
    )
    await seed.turn(task)
    for decision in Decision:
        assert not await decide(store, decision, arguments_hash="other")
        assert not await decide(store, decision, seconds=60)
        assert not await decide(store, decision, call_id="calm")
        assert not await decide(store, decision, call_id="ended")
        assert not await decide(store, decision, call_id="nowhere")
    assert await seed.task() == task
    assert await decide(store, seconds=59.999)
    assert not await decide(store, DENY)


@pytest.mark.parametrize("state", TaskState)
async def test_a_call_is_decided_as_long_as_its_task_has_not_ended(
    store: SqlStore, seed: Seed, state: TaskState
) -> None:
    await seed.turn(a_task(state=state, attempt=1, tool_calls=(ASKING,)))
    assert await decide(store) is (state not in TASK.terminal)


async def test_one_of_many_deciders_wins(store: SqlStore, seed: Seed) -> None:
    await seed.turn(calling(ASKING, state=TaskState.AWAITING_CONFIRM, worker=None))

    async def one(n: int) -> bool:
        async with store.write() as unit:
            version = await unit.sessions.bump(SESSION)
            return await unit.calls.decide(
                *("ask", "hash", DENY if n % 2 else APPROVE),
                reason=None,
                by=f"{n}",
                at=at(5),
                version=version,
            )

    won = await asyncio.gather(*(one(n) for n in range(MANY)))
    assert sum(won) == 1
    call = await the(seed)
    assert call.decided_by == str(won.index(True))
    assert call.decision is (DENY if won.index(True) % 2 else APPROVE)


async def test_parked_tasks_are_listed_when_a_call_of_theirs_was_not_decided_in_time(
    store: SqlStore, seed: Seed
) -> None:
    parked = {"state": TaskState.AWAITING_CONFIRM, "attempt": 1}

    def asking(n: int, **given: Any) -> ToolCall:
        return replace(ASKING, id=f"call-{n}", task_id=f"task-{n}", **given)

    await seed.turn(numbered(1, **parked, tool_calls=(asking(1), replace(asking(1), id="twice"))))
    await seed.turn(numbered(2, **parked, tool_calls=(asking(2, expires_at=at(50)),)))
    await seed.turn(numbered(3, **parked, tool_calls=(asking(3, expires_at=at(61)),)))
    await seed.turn(numbered(4, **parked, tool_calls=(asking(4, decision=APPROVE),)))
    await seed.turn(numbered(5, **parked, tool_calls=(asking(5),), stop_requested_at=at(1)))
    await seed.turn(numbered(6, state=TaskState.TOOL_CALLING, tool_calls=(asking(6),)))
    async with store.read() as unit:
        assert await unit.calls.expired(now=at(60), limit=10) == ["task-2", "task-1"]
        assert await unit.calls.expired(now=at(60), limit=1) == ["task-2"]
        assert await unit.calls.expired(now=at(49), limit=10) == []


async def test_what_a_call_was_replaced_by_in_another_task_is_found(store: SqlStore, seed: Seed) -> None:
    lost = a_call("lost", FAILED, reason=ToolCallReason.LOST)
    await seed.turn(a_task(state=TaskState.FAILED, reason=TaskReason.INTERRUPTED, tool_calls=(lost,)))
    async with store.write() as unit:
        await unit.calls.add([a_call("here", retry_of="lost")])
        assert await unit.calls.made_in_place_of("lost") is None
    for n in (2, 3):
        await seed.turn(numbered(n, tool_calls=(a_call(f"there-{n}", task_id=f"task-{n}", retry_of="lost"),)))
    async with store.read() as unit:
        found = await unit.calls.made_in_place_of("lost")
    assert found is not None
    assert (found.id, found.task_id) == ("there-2", "task-2")
