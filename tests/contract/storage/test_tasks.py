"""The tasks repository: reads, the stored text, and one unfinished task a session."""

from dataclasses import replace

import pytest

from assistant.domain.errors import NotFound, SessionBusy
from assistant.domain.log import START, Folded, Position
from assistant.domain.session import SessionState
from assistant.domain.task import TASK, Task, TaskError, TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCallReason, ToolCallState
from assistant.domain.transcript import PartKind, Transcript
from assistant.storage.schema import tasks
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import (
    ANSWER,
    OWNER,
    QUESTION,
    SESSION,
    TASK_ID,
    WORKER,
    Seed,
    a_call,
    a_session,
    a_task,
    at,
    said,
)
from tests.contract.storage.statements import statements

UNFINISHED = [state for state in TaskState if state not in TASK.terminal]


def ids(found: list[Task]) -> list[str]:
    return [task.id for task in found]


async def test_a_task_comes_back_as_it_was_stored(store: SqlStore, seed: Seed) -> None:
    calls = (
        a_call("call-1"),
        a_call(
            "call-2",
            ToolCallState.FAILED,
            step=2,
            reason=ToolCallReason.DENIED,
            result="no\r\n👩‍💻",
            needs_decision=True,
            decision=Decision.DENY,
            decision_reason="not now",
            decided_at=at(1),
            decided_by=OWNER,
            expires_at=at(60),
            retry_of="call-0",
            attempt=2,
        ),
    )
    stored = a_task(
        state=TaskState.FAILED,
        reason=TaskReason.TIMEOUT,
        attempt=3,
        prefix=2,
        stop_requested_at=at(2),
        error=TaskError("timeout", "It took too long."),
        usage={"tokens": 5},
        version=9,
        tool_calls=calls,
    )
    await seed.turn(stored)
    assert await seed.task() == stored
    async with store.read() as unit:
        assert await unit.tasks.get(OWNER, TASK_ID) == stored
        assert await unit.tasks.of_answers(OWNER, ["nothing", ANSWER]) == [stored]
        assert await unit.tasks.of_answers("owner-2", [ANSWER]) == []
        assert await unit.tasks.of_answers(OWNER, []) == []


async def test_tasks_of_others_and_of_deleted_sessions_are_not_seen(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    async with store.read() as unit:
        assert await unit.tasks.get("owner-2", TASK_ID) is None
        assert await unit.tasks.get(OWNER, "nowhere") is None
        assert await unit.tasks.find("nowhere") is None
    await seed.session(a_session("session-2", state=SessionState.DELETED))
    async with store.write() as unit:
        await unit.tasks.add(a_task("task-2", session_id="session-2"))
    async with store.read() as unit:
        assert await unit.tasks.get(OWNER, "task-2") is None
        assert await unit.tasks.find("task-2") is not None


@pytest.mark.parametrize("state", UNFINISHED)
async def test_a_session_has_one_unfinished_task(store: SqlStore, seed: Seed, state: TaskState) -> None:
    await seed.turn(a_task(state=state))
    with pytest.raises(SessionBusy):
        async with store.write() as unit:
            await unit.tasks.add(a_task("task-2"))
    async with store.read() as unit:
        assert ids(await unit.tasks.unfinished(SESSION)) == [TASK_ID]


async def test_finished_tasks_leave_room_for_the_next(store: SqlStore, seed: Seed) -> None:
    await seed.turn(a_task(state=TaskState.DONE))
    async with store.write() as unit:
        await unit.tasks.add(a_task("task-2", state=TaskState.FAILED, created_at=at(1)))
        await unit.tasks.add(a_task("task-3", created_at=at(2)))
    async with store.read() as unit:
        assert ids(await unit.tasks.unfinished(SESSION)) == ["task-3"]
        of_answer = await unit.tasks.of_answers(OWNER, [ANSWER])
        first = await unit.tasks.first_of_question(QUESTION)
    assert (ids(of_answer), first and first.id) == ([TASK_ID, "task-2", "task-3"], TASK_ID)


async def test_changes_are_those_after_a_version(store: SqlStore, seed: Seed) -> None:
    await seed.turn(a_task(state=TaskState.DONE, version=3))
    async with store.write() as unit:
        await unit.tasks.add(a_task("task-2", version=5))
    async with store.read() as unit:
        assert ids(await unit.tasks.changed_since(SESSION, 2)) == [TASK_ID, "task-2"]
        assert ids(await unit.tasks.changed_since(SESSION, 3)) == ["task-2"]
        assert await unit.tasks.changed_since(SESSION, 5) == []


async def test_a_task_changes_with_each_move_of_its_calls(store: SqlStore, seed: Seed) -> None:
    """Else a page is not told that a call runs, or that it was decided elsewhere."""
    asked = a_call("c", needs_decision=True)
    await seed.turn(a_task(state=TaskState.TOOL_CALLING, attempt=2, worker=WORKER, tool_calls=(asked,)))

    async def changed_after(version: int) -> list[str]:
        async with store.read() as unit:
            return ids(await unit.tasks.changed_since(SESSION, version))

    async with store.write() as unit:
        hash, approve = asked.arguments_hash, Decision.APPROVE
        assert await unit.calls.decide("c", hash, approve, reason=None, by=OWNER, at=at(1), version=11)
    assert await changed_after(10) == [TASK_ID]
    async with store.write() as unit:
        assert await unit.calls.start(["c"], TASK_ID, 2, at=at(2), version=12) == ["c"]
    assert await changed_after(11) == [TASK_ID]
    async with store.write() as unit:
        done = ToolCallState.COMPLETED
        assert await unit.calls.settle("c", 2, done, None, "sent", at=at(3), version=13)
        assert not await unit.calls.settle("c", 2, done, None, "sent", at=at(3), version=14)
    assert await changed_after(12) == [TASK_ID]
    assert await changed_after(13) == []


async def test_calls_of_many_tasks_are_read_by_one_query_and_stay_with_their_task(
    store: SqlStore, seed: Seed
) -> None:
    await seed.turn(a_task(state=TaskState.DONE, tool_calls=(a_call("b"), a_call("a", step=2))))
    async with store.write() as unit:
        await unit.tasks.add(a_task("task-2", tool_calls=(a_call("c", task_id="task-2"),)))
    with statements() as sent:
        async with store.read() as unit:
            found = await unit.tasks.changed_since(SESSION, 0)
    assert [[call.id for call in task.tool_calls] for task in found] == [["b", "a"], ["c"]]
    assert len(sent) == 2


async def test_no_read_of_tasks_asks_for_their_text(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    with statements() as sent:
        async with store.write() as unit:
            await unit.tasks.get(OWNER, TASK_ID)
            await unit.tasks.unfinished(SESSION)
            await unit.tasks.unheld(limit=1, owner_limit=10)
            await unit.tasks.claim(TASK_ID, WORKER, TaskState.STREAMING, limit=1, version=2)
    assert sent
    assert not any(f"{tasks.name}.{tasks.c.text.name}" in sql for sql, _ in sent)


async def test_a_new_task_is_stored_as_an_empty_fold(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    async with store.read() as unit:
        assert await unit.tasks.stored(TASK_ID) == Folded()


async def test_a_seed_is_the_start_of_the_fold(store: SqlStore, seed: Seed) -> None:
    kept = Transcript().append(PartKind.REASONING, "🤔").append(PartKind.TEXT, "e\u0301")
    await seed.turn(a_task(prefix=len(kept)), kept)
    async with store.read() as unit:
        assert await unit.tasks.stored(TASK_ID) == Folded(kept, START)
    task = await seed.task()
    assert (task.offset, task.prefix) == (3, 3)


async def test_a_snapshot_is_the_start_of_the_fold(store: SqlStore, seed: Seed) -> None:
    await seed.turn(a_task(state=TaskState.STREAMING, attempt=2, worker=WORKER))
    snapshot = Folded(said("a🙂\r\n"), Position(2, 7), attempt=2, base=1)
    async with store.write() as unit:
        assert await unit.tasks.snapshot(TASK_ID, 2, snapshot)
    async with store.read() as unit:
        assert await unit.tasks.stored(TASK_ID) == replace(snapshot, base=0)
    assert (await seed.task()).offset == 4


async def test_the_text_of_an_ended_task_is_that_of_its_answer_beyond_every_log_entry(
    store: SqlStore, seed: Seed
) -> None:
    await seed.turn(a_task(state=TaskState.STREAMING, attempt=2, worker=WORKER), said("snapshot"))
    async with store.write() as unit:
        await unit.messages.fill(ANSWER, said("step"), 2)
        assert await unit.tasks.end(
            TASK_ID, 2, TaskState.DONE, TaskReason.LENGTH, at=at(1), version=3, transcript=said("whole")
        )
    async with store.read() as unit:
        folded = await unit.tasks.stored(TASK_ID)
    assert (folded.transcript, folded.attempt, folded.closed) == (said("whole"), 2, True)
    assert folded.position > Position(2, 10**9)


async def test_there_is_nothing_stored_of_an_unknown_task(store: SqlStore) -> None:
    async with store.read() as unit:
        with pytest.raises(NotFound):
            await unit.tasks.stored("nowhere")
