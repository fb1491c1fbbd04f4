"""The messages repository: order, siblings, client ids, and texts that come back byte for byte."""

from dataclasses import replace

import pytest

from assistant.domain.message import Message
from assistant.domain.session import SessionState
from assistant.domain.task import TaskState
from assistant.domain.transcript import Part, PartKind, Transcript
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import ANSWER, OWNER, SESSION, Seed, a_message, a_session, a_task, at

TEXTS = [
    "",
    "👩‍👩‍👧‍👦 family by ZWJ, 🏳️‍🌈 flag, 👍🏽 tone",
    "e\u0301 is not é, and n\u0303\u0323 keeps its marks in order",
    "line\r\nline\rline\nline\u2028line\u0085",
    "\ufffd \ufeff \u200b \u0001 \x7f \U0010ffff",
    "quote ' \" \\ % :name $1 ? {} \t",
    "שלום العربية 日本語 ไทย",
]


async def changed(store: SqlStore, version: int = 0) -> list[Message]:
    async with store.read() as unit:
        return await unit.messages.changed_since(SESSION, version)


async def test_positions_are_minted_from_one_in_each_session(store: SqlStore, seed: Seed) -> None:
    """Case B151: a message that claims to be older is last all the same."""
    await seed.session()
    await seed.session(a_session("session-2"))
    async with store.write() as unit:
        first = await unit.messages.add(a_message("question-1", created_at=at(9)))
        second = await unit.messages.add(a_message("question-2", created_at=at(1), position=77))
        other = await unit.messages.add(a_message("question-3", session_id="session-2"))
    assert [first.position, second.position, other.position] == [1, 2, 1]
    assert [message.id for message in await changed(store)] == ["question-1", "question-2"]


async def test_a_message_comes_back_as_it_was_stored(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    parts = (Part(PartKind.REASONING, 0, 2), Part(PartKind.TOOL_CALL, 2, 2, "c"), Part(PartKind.TEXT, 2, 4))
    stored = a_message("question-1", text="ab🙂d", parts=parts, attachments=("f1", "f2"), client_id="key")
    await seed.messages(stored)
    assert await seed.message("question-1") == replace(stored, position=1, siblings=("question-1",))


@pytest.mark.parametrize("text", TEXTS)
async def test_a_text_comes_back_byte_for_byte(store: SqlStore, seed: Seed, text: str) -> None:
    await seed.session()
    await seed.messages(a_message("question-1", text=text))
    assert (await seed.message("question-1")).text.encode() == text.encode()


async def test_siblings_share_parent_and_role_and_stand_oldest_first(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.session(a_session("session-2"))
    await seed.messages(
        a_message("question-b"),
        a_message("question-a"),
        a_message("question-x", session_id="session-2"),
        a_message("answer-b", parent_id="question-b"),
        a_message("question-c", parent_id="question-b"),
        a_message("answer-a", parent_id="question-b"),
    )
    siblings = {message.id: message.siblings for message in await changed(store)}
    assert siblings == {
        "question-b": ("question-b", "question-a"),
        "question-a": ("question-b", "question-a"),
        "answer-b": ("answer-b", "answer-a"),
        "question-c": ("question-c",),
        "answer-a": ("answer-b", "answer-a"),
    }


async def test_a_client_id_is_unique_by_owner(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.session(a_session("session-2", owner_id="owner-2"))
    await seed.messages(a_message("question-1", client_id="key"))
    await seed.messages(a_message("question-2", session_id="session-2", client_id="key"))
    async with store.read() as unit:
        mine = await unit.messages.by_client_id(OWNER, "key")
        assert mine is not None
        assert mine.id == "question-1"
        assert await unit.messages.by_client_id(OWNER, "other") is None
    with pytest.raises(Exception, match=r"(?i)unique"):
        await seed.messages(a_message("question-3", client_id="key"))


async def test_messages_of_others_and_of_deleted_sessions_are_not_seen(store: SqlStore, seed: Seed) -> None:
    await seed.session(a_session(state=SessionState.DELETED))
    await seed.session(a_session("session-2"))
    await seed.messages(
        a_message("question-1", client_id="key"), a_message("question-2", session_id="session-2")
    )
    async with store.read() as unit:
        assert await unit.messages.get(OWNER, "question-1") is None
        assert await unit.messages.get("owner-2", "question-2") is None
        assert await unit.messages.get(OWNER, "question-2") is not None
        # It was sent, so it is not sent again.
        assert await unit.messages.by_client_id(OWNER, "key") is not None


async def test_changes_are_those_after_a_version_in_order(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    await seed.messages(*(a_message(f"question-{n}", version=v) for n, v in enumerate((5, 3, 4))))
    assert [message.id for message in await changed(store, 3)] == ["question-0", "question-2"]
    assert await changed(store, 5) == []


async def test_fill_stores_text_parts_and_version(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    transcript = Transcript().append(PartKind.REASONING, "hm 🤔").append(PartKind.TEXT, "é")
    async with store.write() as unit:
        await unit.messages.fill(ANSWER, transcript.with_call("call-1"), 8)
    answer = await seed.message()
    assert (Transcript(answer.text, answer.parts), answer.version) == (transcript.with_call("call-1"), 8)


async def test_an_answer_names_its_latest_task(store: SqlStore, seed: Seed) -> None:
    await seed.turn(a_task("task-2", state=TaskState.FAILED))
    async with store.write() as unit:
        await unit.tasks.add(a_task("task-1", created_at=at(5)))
    assert [message.task_id for message in await changed(store)] == [None, "task-1"]
