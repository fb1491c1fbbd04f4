"""The moves of a session, and its end: seen by nobody, back within its time, then gone with all its rows."""

from typing import Any

import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import create_async_engine

from assistant.domain.records import KeyState, StoredDraft, WishKind
from assistant.domain.session import SessionEvent, SessionState
from assistant.domain.task import TaskState
from assistant.storage.keys import FOR_EVER
from assistant.storage.schema import attachments, messages, metadata, shares
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import (
    ANSWER,
    NOON,
    OWNER,
    QUESTION,
    SESSION,
    TASK_ID,
    Seed,
    a_key,
    a_message,
    a_queued,
    a_session,
    a_task,
    at,
)
from tests.contract.storage.test_branches import behind_the_store

OF_A_SESSION = (
    *("session", "message", "task", "tool_call", "draft", "attachment", "share", "queued_message"),
    "search_entry",
)


async def move(store: SqlStore, event: SessionEvent, seconds: float = 0) -> bool:
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        return await unit.sessions.move(SESSION, event, at=at(seconds))


async def remove(store: SqlStore, seconds: float) -> bool:
    async with store.write() as unit:
        return await unit.sessions.remove(SESSION, deleted_before=at(seconds))


async def counts(url: str) -> dict[str, int]:
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        counted = {
            name: await connection.scalar(select(func.count()).select_from(metadata.tables[name]))
            for name in OF_A_SESSION
        }
    await engine.dispose()
    return {name: count or 0 for name, count in counted.items()}


async def test_only_the_moves_of_the_table_are_made(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    assert not await move(store, SessionEvent.RESTORE)
    assert not await move(store, SessionEvent.UNDO)
    assert await move(store, SessionEvent.ARCHIVE)
    assert not await move(store, SessionEvent.ARCHIVE)
    assert await move(store, SessionEvent.RESTORE)
    assert await move(store, SessionEvent.DELETE)
    assert not await move(store, SessionEvent.ARCHIVE)
    assert await move(store, SessionEvent.UNDO)
    async with store.read() as unit:
        session = await unit.sessions.get(OWNER, SESSION)
    assert session is not None
    assert (session.state, session.version) == (SessionState.ACTIVE, 8)


async def test_archived_sessions_are_listed_apart(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.session(a_session("archived", state=SessionState.ARCHIVED))
    async with store.read() as unit:
        found = await unit.sessions.recent(OWNER, limit=5, state=SessionState.ARCHIVED)
    assert [session.id for session in found] == ["archived"]


async def test_a_new_title_leaves_the_session_in_its_place(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.write() as unit:
        await unit.sessions.rename(SESSION, "Größe 👩‍💻")
    async with store.read() as unit:
        assert await unit.sessions.get(OWNER, SESSION) == a_session(title="Größe 👩‍💻")


async def test_a_deletion_may_be_taken_back_by_its_owner_in_time(store: SqlStore, seed: Seed) -> None:
    await seed.session()

    async def may_return(owner_id: str, seconds: float) -> bool:
        async with store.read() as unit:
            return await unit.sessions.may_return(owner_id, SESSION, deleted_after=at(seconds))

    assert not await may_return(OWNER, -1)
    await move(store, SessionEvent.DELETE, 10)
    assert await may_return(OWNER, 9)
    assert not await may_return(OWNER, 10)
    assert not await may_return("owner-2", 9)
    await move(store, SessionEvent.UNDO, 11)
    assert not await may_return(OWNER, 9)


async def test_what_was_deleted_is_found_when_its_time_has_passed(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.session(a_session("session-2"))
    async with store.write() as unit:
        await unit.sessions.move("session-2", SessionEvent.DELETE, at=at(5))
    await move(store, SessionEvent.DELETE, 10)

    async with store.read() as unit:
        assert await unit.sessions.deleted_before(at(4), limit=5) == []
        assert await unit.sessions.deleted_before(at(5), limit=5) == ["session-2"]
        assert await unit.sessions.deleted_before(at(10), limit=5) == ["session-2", SESSION]
        assert await unit.sessions.deleted_before(at(10), limit=1) == ["session-2"]


async def test_a_removal_takes_every_row_of_the_session_and_no_other(
    url: str, store: SqlStore, seed: Seed
) -> None:
    await seed.turn(a_task(state=TaskState.DONE))
    await seed.messages(a_message("question-2", parent_id=ANSWER))
    await seed.turns(1)
    async with store.write() as unit:
        await unit.drafts.put(StoredDraft(OWNER, SESSION, "typed", 1), at=NOON)
        await unit.queued.add(a_queued("waits"))
    file: dict[str, Any] = {"id": "file", "owner_id": OWNER, "session_id": SESSION, "message_id": QUESTION}
    file |= {"name": "n", "media_type": "t", "size": 1, "created_at": NOON}
    await behind_the_store(url, insert(attachments), [file])
    link: dict[str, Any] = {"id": "link", "session_id": SESSION, "owner_id": OWNER, "created_at": NOON}
    link |= {"with_arguments": False, "version": 1}
    await behind_the_store(url, insert(shares), [link])
    await move(store, SessionEvent.DELETE)

    assert await remove(store, 0)

    others = {"session": 1, "message": 2, "task": 1, "search_entry": 2}
    assert await counts(url) == dict.fromkeys(OF_A_SESSION, 0) | others


@pytest.mark.parametrize("event", [None, SessionEvent.ARCHIVE, SessionEvent.DELETE])
async def test_nothing_is_removed_before_its_time(
    url: str, store: SqlStore, seed: Seed, event: SessionEvent | None
) -> None:
    await seed.turn()
    if event is not None:
        await move(store, event, 10)
    before = await counts(url)

    assert not await remove(store, 9)

    assert await counts(url) == before


async def test_an_undone_session_is_not_removed_by_whoever_found_it_before(
    url: str, store: SqlStore, seed: Seed
) -> None:
    await seed.turn()
    await move(store, SessionEvent.DELETE)
    await move(store, SessionEvent.UNDO)
    assert not await remove(store, 60)
    assert (await counts(url))["message"] == 2


async def test_a_stray_reference_into_a_removed_session_is_cut(url: str, store: SqlStore, seed: Seed) -> None:
    """Case B059."""
    await seed.turn()
    await seed.session(a_session("session-2"))
    await seed.messages(a_message("question-9", session_id="session-2"))
    stray = update(messages).where(messages.c.id == "question-9").values(parent_id=ANSWER)
    await behind_the_store(url, stray)
    await move(store, SessionEvent.DELETE)

    assert await remove(store, 0)

    assert (await seed.message("question-9")).parent_id is None


async def test_a_deleted_session_has_no_draft_and_no_tasks_for_anybody(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    async with store.write() as unit:
        await unit.drafts.put(StoredDraft(OWNER, SESSION, "typed", 1), at=NOON)
    await move(store, SessionEvent.DELETE)
    async with store.read() as unit:
        assert await unit.drafts.get(OWNER, SESSION) is None
        assert await unit.tasks.of_answers(OWNER, [ANSWER]) == []
        assert await unit.tasks.get(OWNER, TASK_ID) is None
        assert await unit.messages.get(OWNER, ANSWER) is None


async def test_the_keys_of_a_sessions_sends_are_kept_for_ever(store: SqlStore, seed: Seed) -> None:
    """Case B102: also of those that were swept, and of no other."""
    await seed.session()
    first = a_message(QUESTION, client_id="there")
    second = a_message("question-2", client_id="swept")
    await seed.messages(first, a_message(ANSWER, parent_id=QUESTION), second, a_message("answer-2"))
    async with store.write() as unit:
        await unit.tasks.add(a_task(state=TaskState.DONE))
        retried = a_task("task-2", answer_id="answer-2", created_at=at(1), state=TaskState.DONE)
        await unit.tasks.add(retried)
        await unit.tasks.add(
            a_task("task-3", question_id="question-2", answer_id="answer-2", state=TaskState.DONE)
        )
        for key in (a_key("there"), a_key("other")):
            await unit.keys.insert(key)
            await unit.keys.settle(OWNER, key.key, {"task_id": "first"})

    async with store.write() as unit:
        await unit.keys.keep_sends(SESSION)
        await unit.keys.keep_sends(SESSION)
    async with store.write() as unit:
        await unit.keys.sweep(now=at(10_000_000))

    async with store.read() as unit:
        there, swept = await unit.keys.get(OWNER, "there"), await unit.keys.get(OWNER, "swept")
        assert await unit.keys.get(OWNER, "other") is None
    assert there == a_key("there", result={"task_id": "first"}, expires_at=FOR_EVER)
    assert swept is not None
    assert (swept.kind, swept.state, swept.fingerprint) == (WishKind.SEND, KeyState.ACCEPTED, None)
    assert swept.result == {
        "session_id": SESSION,
        "message_id": "question-2",
        "answer_id": "answer-2",
        "task_id": "task-3",
    }
