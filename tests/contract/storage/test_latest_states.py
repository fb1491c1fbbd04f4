"""What the sessions of a list are at: their unfinished task, else the task of their chosen last answer."""

from assistant.domain.task import TaskState
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import Seed, a_message, a_task, numbered


async def latest(store: SqlStore, *session_ids: str) -> dict[str, TaskState]:
    async with store.read() as unit:
        return await unit.tasks.latest_states(session_ids)


async def choose(store: SqlStore, session_id: str, leaf_id: str) -> None:
    async with store.write() as unit:
        await unit.sessions.choose_leaf(session_id, leaf_id)


async def test_each_session_has_the_state_of_its_own_last_answer(store: SqlStore, seed: Seed) -> None:
    states = (TaskState.DONE, TaskState.FAILED, TaskState.AWAITING_CONFIRM)
    for n, state in enumerate(states):
        await seed.turn(numbered(n, state=state))
        await choose(store, f"session-{n}", f"answer-{n}")
    assert await latest(store, "session-0", "session-1", "session-2", "nowhere") == {
        f"session-{n}": state for n, state in enumerate(states)
    }
    assert await latest(store, "session-1") == {"session-1": TaskState.FAILED}
    assert await latest(store) == {}


async def test_what_is_written_on_another_branch_counts_before_the_chosen_end(
    store: SqlStore, seed: Seed
) -> None:
    await seed.turn(numbered(1, state=TaskState.FAILED))
    await choose(store, "session-1", "answer-1")
    await seed.messages(a_message("answer-2", session_id="session-1", parent_id="question-1", text=""))
    async with store.write() as unit:
        await unit.tasks.add(
            a_task("task-2", session_id="session-1", question_id="question-1", answer_id="answer-2")
        )
    assert await latest(store, "session-1") == {"session-1": TaskState.PENDING}


async def test_a_session_without_an_answer_says_nothing(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    assert await latest(store, "session-1") == {}
