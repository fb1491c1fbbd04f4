"""Where a branch through a message ends: at the message that was chosen last below it, else at the newest."""

import sqlite3

from sqlalchemy import update

from assistant.domain.message import Message
from assistant.storage.schema import messages
from assistant.storage.store import SqlStore
from tests.contract.storage.conftest import SQLITE, only_on
from tests.contract.storage.seeding import SESSION, Seed, a_message, a_session
from tests.contract.storage.statements import statements
from tests.contract.storage.test_branches import behind_the_store
from tests.support.databases import sqlite_file

FORKED: list[Message] = [
    a_message("question-1"),
    a_message("answer-1", parent_id="question-1"),
    a_message("question-2", parent_id="answer-1"),
    a_message("answer-2", parent_id="question-2"),
    a_message("question-2-edited", parent_id="answer-1"),
    a_message("answer-2-edited", parent_id="question-2-edited"),
    a_message("answer-1-again", parent_id="question-1"),
]
"""question-1 with two answers, and under the first a question with its edit."""


async def last_below(store: SqlStore, message_id: str) -> str | None:
    async with store.read() as unit:
        return await unit.messages.last_below(SESSION, message_id)


async def choose(store: SqlStore, *leaves: str) -> None:
    for leaf in leaves:
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
            await unit.sessions.choose_leaf(SESSION, leaf)


async def test_a_branch_that_was_never_chosen_ends_at_its_newest_message(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.messages(*FORKED)

    assert await last_below(store, "question-1") == "answer-1-again"
    assert await last_below(store, "answer-1") == "answer-2-edited"
    assert await last_below(store, "question-2") == "answer-2"
    assert await last_below(store, "answer-2") == "answer-2"


async def test_a_branch_ends_where_it_was_left(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.messages(*FORKED)
    await choose(store, "answer-2-edited", "answer-2", "answer-1-again")

    assert await last_below(store, "answer-1") == "answer-2"
    assert await last_below(store, "question-2-edited") == "answer-2-edited"
    assert await last_below(store, "question-1") == "answer-1-again"

    await choose(store, "answer-2-edited")
    assert await last_below(store, "answer-1") == "answer-2-edited"


async def test_a_message_of_another_session_ends_no_branch(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.session(a_session("session-2"))
    await seed.messages(*FORKED, a_message("question-9", session_id="session-2", parent_id="answer-2"))

    assert await last_below(store, "question-9") is None
    assert await last_below(store, "nowhere") is None
    assert await last_below(store, "answer-2") == "answer-2"


async def test_a_cycle_ends_the_way_down(url: str, store: SqlStore, seed: Seed) -> None:
    """Case B059."""
    await seed.session()
    await seed.messages(*FORKED)
    cycle = update(messages).where(messages.c.id == "question-1").values(parent_id="answer-2")
    await behind_the_store(url, cycle)

    assert await last_below(store, "question-2") == "answer-2"
    assert await last_below(store, "question-1") == "answer-1-again"


@only_on(SQLITE)
async def test_the_way_down_goes_from_parent_to_child_by_an_index(
    url: str, store: SqlStore, seed: Seed
) -> None:
    """An index by position would have each step read all that stands later: quadratic in a long session."""
    await seed.session()
    with statements() as sent:
        await last_below(store, "question-1")
    connection = sqlite3.connect(sqlite_file(url))
    try:
        plan = [
            step
            for sql, values in sent
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)
        ]
    finally:
        connection.close()
    assert any(
        "child" in step and "ix_message_siblings (parent_id=? AND session_id=?)" in step for step in plan
    ), plan
