"""The log: what is appended is what is read, on every server."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.domain.errors import Fenced
from assistant.domain.log import START, Entry, Folded, Op, Position, fold
from assistant.domain.transcript import PartKind, Transcript, well_formed
from assistant.streams.connection import Client
from assistant.streams.log import PAGE, RedisLog, Watched

NASTY = [
    "",
    "\n",
    "\r\n",
    " \n```py\n",
    "\x00",
    "A你好👩‍👩‍👧🏽é🌍Z",
    "e\u0301",
    "\ud83d\ude00",
    " lead",
    '{"a":1}',
]

texts = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=20)), max_size=12)
kinds = st.sampled_from([PartKind.TEXT, PartKind.REASONING])


def text_entry(attempt: int, seq: int, offset: int, text: str = "x") -> Entry:
    return Entry(Position(attempt, seq), Op.TEXT, offset, text)


async def test_there_is_nothing_after_any_position_of_a_log_that_does_not_exist(
    log: RedisLog, task_id: str
) -> None:
    assert await log.after(task_id, START) == []
    assert await log.after_many({task_id: Position(3, 7)}) == {}
    assert await log.after_many({}) == {}


async def test_any_text_of_any_kind_is_read_as_it_was_written(
    log: RedisLog, new_id: Callable[[], str]
) -> None:
    """Cases B031, B036: emoji, joiners, combining marks, CRLF and the empty text."""

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(texts, st.lists(kinds, min_size=12, max_size=12))
    def check(pieces: list[str], of_kind: list[PartKind]) -> None:
        examples.append((pieces, of_kind))

    examples: list[tuple[list[str], list[PartKind]]] = []
    check()
    for pieces, of_kind in examples:
        task_id = new_id()
        await log.fence(task_id, 1, 0)
        written, whole = [], Transcript()
        for seq, (piece, kind) in enumerate(zip(pieces, of_kind, strict=False), start=1):
            text = well_formed(piece)
            entry = Entry(Position(1, seq), Op.TEXT, len(whole), text, kind)
            assert await log.append(task_id, entry)
            whole = whole.append(kind, text)
            written.append(entry)
        read = await log.after(task_id, START)
        assert read[1:] == written
        assert fold(Folded(), read).transcript == whole


async def test_a_replace_carries_its_parts(log: RedisLog, task_id: str) -> None:
    whole = Transcript().append(PartKind.REASONING, "hm").with_call("c1").append(PartKind.TEXT, "ja")
    entry = Entry(Position(1, 1), Op.REPLACE, len(whole), whole.text, parts=whole.parts)
    await log.fence(task_id, 1, 0)
    assert await log.append(task_id, entry)
    assert (await log.after(task_id, Position(1, 0))) == [entry]


async def test_reading_after_a_position_gives_what_is_later_and_nothing_else(
    log: RedisLog, task_id: str
) -> None:
    """Case B016."""
    await log.fence(task_id, 1, 0)
    for seq in (1, 2, 3):
        await log.append(task_id, text_entry(1, seq, seq - 1))
    assert [entry.position.seq for entry in await log.after(task_id, Position(1, 2))] == [3]
    assert await log.after(task_id, Position(1, 3)) == []


async def test_a_log_longer_than_a_page_is_read_whole(log: RedisLog, client: Client, task_id: str) -> None:
    """Case B017: in order, and each entry once."""
    for begin in range(1, 2 * PAGE + 2, 500):
        batch = client.pipeline()
        for seq in range(begin, min(begin + 500, 2 * PAGE + 2)):
            fields = {"offset": str(seq - 1), "text": "x", "op": "text", "kind": "text"}
            batch.xadd(f"s:{task_id}", fields, id=f"1-{seq}")
        await batch.execute()
    seqs = [entry.position.seq for entry in await log.after(task_id, START)]
    assert seqs == list(range(1, 2 * PAGE + 2))


async def test_many_logs_are_read_in_one_go(log: RedisLog, new_id: Callable[[], str]) -> None:
    first, second, silent = new_id(), new_id(), new_id()
    for task_id in (first, second, silent):
        await log.fence(task_id, 1, 0)
    await log.append(first, text_entry(1, 1, 0, "one"))
    await log.append(second, text_entry(1, 1, 0, "two"))
    news = await log.after_many(dict.fromkeys((first, second, silent), Position(1, 0)))
    assert {task: entries[0].text for task, entries in news.items()} == {first: "one", second: "two"}


async def test_a_fence_refuses_the_entries_of_older_attempts(log: RedisLog, task_id: str) -> None:
    """Case B030: a late write of the old producer is rejected."""
    await log.fence(task_id, 1, 0)
    assert await log.append(task_id, text_entry(1, 1, 0, "old"))
    await log.fence(task_id, 2, 3)
    with pytest.raises(Fenced):
        await log.append(task_id, text_entry(1, 2, 3, "zombie"))
    assert [entry.text for entry in await log.after(task_id, START)] == ["", "old", ""]


async def test_a_fence_may_be_set_again(log: RedisLog, task_id: str) -> None:
    await log.fence(task_id, 2, 0)
    await log.fence(task_id, 2, 0)
    assert await log.append(task_id, text_entry(2, 1, 0))
    await log.fence(task_id, 2, 0)
    assert len(await log.after(task_id, START)) == 2


async def test_a_fence_below_an_open_attempt_is_refused(log: RedisLog, task_id: str) -> None:
    await log.fence(task_id, 3, 0)
    with pytest.raises(Fenced):
        await log.fence(task_id, 2, 0)


async def test_a_fence_that_landed_is_refused_all_the_same_once_a_higher_one_is_open(
    log: RedisLog, task_id: str
) -> None:
    await log.fence(task_id, 2, 0)
    await log.fence(task_id, 3, 0)
    with pytest.raises(Fenced):
        await log.fence(task_id, 2, 0)


async def test_an_entry_below_one_of_its_own_attempt_is_no_fence(log: RedisLog, task_id: str) -> None:
    await log.fence(task_id, 1, 0)
    await log.append(task_id, text_entry(1, 5, 0))
    assert await log.append(task_id, text_entry(1, 3, 0)) is False


async def test_closing_may_be_repeated_and_comes_once(log: RedisLog, task_id: str) -> None:
    await log.fence(task_id, 1, 0)
    await log.append(task_id, text_entry(1, 1, 0, "end"))
    await log.close(task_id, 1, 2, 3)
    await log.close(task_id, 1, 2, 3)
    read = await log.after(task_id, START)
    assert [entry.op for entry in read] == [Op.FENCE, Op.TEXT, Op.CLOSED]
    assert fold(Folded(), read).closed


async def test_closing_is_quiet_when_a_newer_attempt_is_open(log: RedisLog, task_id: str) -> None:
    await log.fence(task_id, 2, 0)
    await log.close(task_id, 1, 1, 0)
    assert [entry.op for entry in await log.after(task_id, START)] == [Op.FENCE]


async def test_a_late_lower_version_is_dropped(log: RedisLog, new_id: Callable[[], str]) -> None:
    session_id = new_id()
    await log.bump(session_id, 8)
    await log.bump(session_id, 7)
    assert (await log.news(Watched(sessions={session_id: 1}))).sessions == {session_id: 8}
    assert (await log.news(Watched(sessions={session_id: 8}))).sessions == {}


async def test_a_ring_is_heard_after_the_one_before(log: RedisLog, new_id: Callable[[], str]) -> None:
    owner_id = new_id()
    await log.ring(owner_id)
    heard = (await log.news(Watched(owners={owner_id: "0-0"}))).owners[owner_id]
    assert (await log.news(Watched(owners={owner_id: heard}))).owners == {}
    await log.ring(owner_id)
    assert (await log.news(Watched(owners={owner_id: heard}))).owners[owner_id] != heard
