"""What was written before there was a search is found after the migration, in its order."""

import asyncio

import pytest
from alembic import command

from assistant.domain.search_tokens import terms_of
from assistant.domain.session import SessionState
from assistant.domain.task import TaskState
from assistant.domain.transcript import PartKind, Transcript
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import OWNER, Seed, a_message, a_session, a_task, said
from tests.support.databases import migrate, migrations


async def write(url: str) -> None:
    """An archived session with a question and its answer, one whose answer is written, and more questions
    than one batch holds."""
    store = SqlStore(url)
    seed = Seed(store)
    await seed.session(a_session(title="Old needle"))
    thought = Transcript().append(PartKind.REASONING, "secretly ").append(PartKind.TEXT, "needle 刷新")
    await seed.messages(
        a_message("question-1", text="needle"),
        a_message("answer-1", parent_id="question-1", text=thought.text, parts=thought.parts),
        *(a_message(f"question-2-{n:04}", text=f"hay {n}") for n in range(1200)),
    )
    await seed.turn(
        a_task("task-3", session_id="session-3", question_id="question-3", answer_id="answer-3"),
        said("half a needle"),
    )
    async with store.write() as unit:
        await unit.tasks.add(a_task(state=TaskState.DONE))
        await unit.messages.fill("answer-3", said("half a needle"), 1)
    await store.close()


async def found(url: str, query: str) -> list[str | None]:
    store = SqlStore(url)
    async with store.read() as unit:
        hits = await unit.search.find(OWNER, terms_of(query), limit=5000)
    assert all(hit.state is SessionState.ACTIVE for hit in hits)
    await store.close()
    return [hit.message_id for hit in hits]


async def add_one_more(url: str) -> None:
    store = SqlStore(url)
    await Seed(store).messages(a_message("question-9", text="needle"))
    await store.close()


@pytest.mark.slow
def test_what_was_there_before_is_found_and_what_comes_later_before_it(
    own_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(write(own_url))
    command.downgrade(migrations(own_url), "0008-1")

    migrate(own_url)

    assert asyncio.run(found(own_url, "needle")) == [None, "question-1", "answer-1"]
    assert asyncio.run(found(own_url, "刷新")) == ["answer-1"]
    assert asyncio.run(found(own_url, "secretly")) == []
    assert len(asyncio.run(found(own_url, "hay"))) == 1200
    assert "1203 messages indexed" in capsys.readouterr().out
    asyncio.run(add_one_more(own_url))
    assert asyncio.run(found(own_url, "needle"))[:2] == [None, "question-9"]
