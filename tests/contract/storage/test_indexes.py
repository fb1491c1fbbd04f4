"""No read and no move walks through a whole table, however much has been said (asked of SQLite's planner)."""

import sqlite3

import pytest

from assistant.domain.log import Folded
from assistant.domain.search_tokens import terms_of
from assistant.domain.session import SessionEvent
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCallState
from assistant.storage.store import SqlStore
from tests.contract.storage.conftest import SQLITE, only_on
from tests.contract.storage.seeding import (
    ANSWER,
    OWNER,
    QUESTION,
    SESSION,
    TASK_ID,
    WORKER,
    Seed,
    a_call,
    at,
    said,
)
from tests.contract.storage.statements import Statement, statements
from tests.support.databases import sqlite_file

LARGE = (
    *("session", "message", "task", "tool_call", "idempotency_key", "owner", "note", "share"),
    "search_entry",
)
UNFINISHED = ("ix_task_worker", "uq_task_unfinished")
"""Partial indexes, as long as there are unfinished tasks."""


def scans(url: str, sent: list[Statement]) -> list[str]:
    """The steps of the plans that read a large table from one end to the other, with their SQL."""
    connection = sqlite3.connect(sqlite_file(url))
    try:
        return [
            f"{step}: {sql}"
            for sql, parameters in sent
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)
            if step.startswith("SCAN") and step.split()[1] in LARGE and not step.endswith(UNFINISHED)
        ]
    finally:
        connection.close()


@only_on(SQLITE)
async def test_reads_find_their_rows_by_an_index(url: str, store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    with statements() as sent:
        async with store.read() as unit:
            await unit.owners.get(OWNER)
            await unit.sessions.get(OWNER, SESSION)
            await unit.sessions.recent(OWNER, limit=5, before=(at(9), "x"))
            await unit.messages.get(OWNER, ANSWER)
            await unit.messages.by_client_id(OWNER, "key")
            await unit.messages.branch(SESSION, ANSWER, limit=5)
            await unit.messages.branch(SESSION, "nowhere", limit=5)
            await unit.messages.changed_since(SESSION, 0)
            await unit.messages.last_below(SESSION, QUESTION)
            await unit.sessions.may_return(OWNER, SESSION, deleted_after=at(1))
            await unit.sessions.deleted_before(at(1), limit=5)
            await unit.tasks.get(OWNER, TASK_ID)
            await unit.tasks.of_answers(OWNER, [ANSWER, QUESTION])
            await unit.tasks.first_of_question(QUESTION)
            await unit.tasks.unfinished(SESSION)
            await unit.tasks.changed_since(SESSION, 0)
            await unit.tasks.stored(TASK_ID)
            await unit.tasks.held_by(WORKER)
            await unit.tasks.unheld(limit=5, owner_limit=4)
            await unit.tasks.half_stopped(limit=5)
            await unit.tasks.held_by_unknown()
            await unit.calls.get(OWNER, "call")
            await unit.calls.made_in_place_of("call")
            await unit.calls.expired(now=at(1), limit=5)
            await unit.keys.get(OWNER, "key")
            await unit.tasks.last_ended(SESSION)
            await unit.queued.of_session(SESSION)
            await unit.queued.oldest(SESSION)
            await unit.queued.ready(limit=5)
            await unit.notes.of_call(OWNER, "call")
            await unit.notes.count(OWNER)
            await unit.notes.of_owner(OWNER, limit=5)
            await unit.notes.get(OWNER, "note")
            await unit.search.find(OWNER, terms_of("text of"), limit=5)
            await unit.messages.last_position(SESSION)
            await unit.messages.ids_of_branch(SESSION, ANSWER)
            await unit.messages.some(SESSION, range(1, 3))
            await unit.messages.some(SESSION, [ANSWER])
            await unit.shares.of_session(OWNER, SESSION)
            await unit.shares.get(OWNER, "share")
            await unit.shares.readable("share")
            await unit.calls.get(OWNER, "call")
            await unit.calls.made_in_place_of("call")
            await unit.calls.expired(now=at(1), limit=5)
    assert len(sent) > 20
    assert scans(url, sent) == []


@only_on(SQLITE)
async def test_writes_find_their_rows_by_an_index(url: str, store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    with statements() as sent:
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
            await unit.tasks.claim(TASK_ID, WORKER, TaskState.STREAMING, limit=5, version=2)
            await unit.tasks.snapshot(TASK_ID, 1, Folded())
            await unit.tasks.store_calls(TASK_ID, 1, Folded(), [a_call("call")], version=2)
            await unit.calls.start(["call"], TASK_ID, 1, at=at(1), version=2)
            await unit.calls.settle(*("call", 1, ToolCallState.COMPLETED, None, "told"), at=at(1), version=2)
            await unit.calls.decide(
                *("call", "hash", Decision.APPROVE), reason=None, by=OWNER, at=at(1), version=2
            )
            await unit.tasks.results(TASK_ID, 1, version=2)
            await unit.tasks.park(TASK_ID, 1, version=2)
            await unit.tasks.unpark(TASK_ID, version=2)
            await unit.tasks.release(TASK_ID, 1)
            await unit.tasks.request_stop(TASK_ID, at=at(1), version=2)
            await unit.tasks.end(
                *(TASK_ID, 2, TaskState.DONE, TaskReason.STOPPED), at=at(2), version=2, transcript=said("x")
            )
            await unit.keys.sweep(now=at(1))
            await unit.sessions.choose_leaf(SESSION, ANSWER)
            await unit.sessions.rename(SESSION, "Another")
            await unit.sessions.move(SESSION, SessionEvent.DELETE, at=at(1))
            await unit.queued.take(OWNER, "key")
            await unit.notes.delete(OWNER, "note")
            await unit.shares.allow_arguments("share", True, version=2)
            await unit.shares.revoke("share", at=at(1), version=2)
            await unit.keys.keep_sends(SESSION)
            await unit.sessions.remove(SESSION, deleted_before=at(1))
    assert len(sent) > 7
    assert scans(url, sent) == []


@only_on(SQLITE)
@pytest.mark.parametrize("table", LARGE)
async def test_a_walk_through_a_table_would_be_seen(url: str, table: str) -> None:
    assert scans(url, [(f"SELECT * FROM {table}", ())])
