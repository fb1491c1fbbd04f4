"""The writer: when it writes, what an entry holds, what a snapshot holds."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.domain.log import START, Entry, Folded, Op, Position, fold
from assistant.domain.transcript import PartKind, Transcript, well_formed
from assistant.streams.connection import connect
from assistant.streams.log import RedisLog
from assistant.streams.writer import AnswerWriter
from tests.contract.streams.rows import Row
from tests.contract.streams.timers import HandTimers, a_turn
from tests.support.eventually import eventually

TEXT, REASONING = PartKind.TEXT, PartKind.REASONING


@pytest.fixture
def row() -> Row:
    return Row()


@pytest.fixture
def rings() -> list[str]:
    return []


@pytest.fixture
async def writer(
    log: RedisLog, task_id: str, row: Row, rings: list[str], timers: HandTimers
) -> AsyncGenerator[AnswerWriter]:
    await log.fence(task_id, 1, 0)
    writer = AnswerWriter(
        task_id, 1, Folded(), log, row.snapshot, lambda: rings.append(task_id), timers=timers
    )
    yield writer
    await writer.abandon()


async def written(log: RedisLog, task_id: str, count: int) -> list[Entry]:
    """The entries after the fence, once there are `count` of them."""

    async def entries() -> list[Entry]:
        found = await log.after(task_id, Position(1, 0))
        assert len(found) == count, found
        return found

    return await eventually(entries) if count else await log.after(task_id, Position(1, 0))


async def test_the_first_piece_goes_out_at_once_and_rings(
    writer: AnswerWriter, log: RedisLog, task_id: str, rings: list[str]
) -> None:
    await writer.feed(TEXT, "Hello")
    entries = await written(log, task_id, 1)
    assert entries == [Entry(Position(1, 1), Op.TEXT, 0, "Hello")]
    await eventually(lambda: rings == [task_id])


async def test_later_pieces_are_put_together_for_thirty_milliseconds(
    writer: AnswerWriter, log: RedisLog, task_id: str, timers: HandTimers, rings: list[str]
) -> None:
    await writer.feed(TEXT, "a")
    await written(log, task_id, 1)
    for letter in "bcd":
        await writer.feed(TEXT, letter)
    timers.advance(0.029)
    assert len(await written(log, task_id, 0)) == 1
    timers.advance(0.002)
    entries = await written(log, task_id, 2)
    assert (entries[1].offset, entries[1].text) == (1, "bcd")
    assert len(rings) == 1


async def test_a_change_of_kind_begins_a_new_entry(writer: AnswerWriter, log: RedisLog, task_id: str) -> None:
    """Case B153."""
    for kind, text in ((REASONING, "hm"), (REASONING, "m"), (TEXT, "ja"), (REASONING, "nein")):
        await writer.feed(kind, text)
    folded = await writer.flush()
    entries = await written(log, task_id, 3)
    assert [(e.kind, e.offset, e.text) for e in entries] == [
        (REASONING, 0, "hmm"),
        (TEXT, 3, "ja"),
        (REASONING, 5, "nein"),
    ]
    assert folded.transcript == fold(Folded(), await log.after(task_id, START)).transcript


async def test_a_surrogate_pair_split_over_two_deltas_is_one_character(
    writer: AnswerWriter, log: RedisLog, task_id: str
) -> None:
    """Cases B031, B038: the offset after it is one more, not two."""
    await writer.feed(TEXT, "a\ud83d")
    assert (await written(log, task_id, 1))[0].text == "a"
    await writer.feed(TEXT, "\ude00b")
    folded = await writer.flush()
    assert folded.text == "a😀b"
    assert [(e.offset, e.text) for e in await written(log, task_id, 2)] == [(0, "a"), (1, "😀b")]


async def test_half_a_pair_at_a_change_of_kind_or_at_the_end_becomes_a_replacement(
    writer: AnswerWriter,
) -> None:
    await writer.feed(REASONING, "a\ud83d")
    await writer.feed(TEXT, "\ude00b\ud83d")
    assert (await writer.flush()).text == "a\ufffd\ufffdb\ufffd"


async def test_an_empty_delta_writes_nothing(writer: AnswerWriter, log: RedisLog, task_id: str) -> None:
    await writer.feed(TEXT, "")
    assert (await writer.flush()).position == Position(1, 0)
    assert await written(log, task_id, 0) == []


async def test_a_snapshot_follows_within_a_second(
    writer: AnswerWriter, row: Row, timers: HandTimers, log: RedisLog, task_id: str
) -> None:
    await writer.feed(TEXT, "a")
    await written(log, task_id, 1)
    await eventually(lambda: writer.folded.position == Position(1, 1))
    timers.advance(0.99)
    assert row.snapshots == []
    timers.advance(0.02)
    await eventually(lambda: len(row.snapshots) == 1)
    assert (row.folded.text, row.folded.position) == ("a", Position(1, 1))


async def test_thirty_entries_make_a_snapshot_before_the_second_is_over(
    writer: AnswerWriter, row: Row, timers: HandTimers
) -> None:
    for number in range(29):
        await writer.feed(TEXT if number % 2 else REASONING, f"{number} ")
    await eventually(lambda: writer.folded.position.seq == 29)
    assert row.snapshots == []
    await writer.feed(TEXT, "thirty")
    timers.advance(0.031)
    await eventually(lambda: row.folded.position == Position(1, 30))


async def test_row_and_log_fold_to_the_same_text_after_any_snapshot(
    writer: AnswerWriter, row: Row, log: RedisLog, task_id: str, timers: HandTimers
) -> None:
    """Case B016: a snapshot covers exactly the entries up to its position."""
    for number in range(100):
        await writer.feed(TEXT if number % 3 else REASONING, f"{number} ")
        timers.advance(0.011)
        await a_turn(2)
        now = fold(row.folded, await log.after(task_id, row.folded.position))
        assert now.gap is None
        assert writer.folded.text.startswith(now.text)
    whole = await writer.flush()
    assert fold(row.folded, await log.after(task_id, row.folded.position)).text == whole.text
    assert row.snapshots


async def test_a_slow_snapshot_delays_neither_the_stream_nor_meets_a_second_one(
    writer: AnswerWriter, row: Row, log: RedisLog, task_id: str, timers: HandTimers
) -> None:
    row.gate.clear()
    await writer.feed(TEXT, "a")
    await written(log, task_id, 1)
    await eventually(lambda: writer.folded.position.seq == 1)
    timers.advance(1.01)
    await eventually(lambda: row.under_way == 1)
    for seq in range(2, 40):
        await writer.feed(TEXT, "b")
        timers.advance(0.5)
        await written(log, task_id, seq)
    row.gate.set()
    await eventually(lambda: len(row.snapshots) >= 2)
    assert row.most_under_way == 1


async def test_no_snapshot_is_under_way_after_a_flush(
    writer: AnswerWriter, row: Row, log: RedisLog, task_id: str, timers: HandTimers
) -> None:
    row.gate.clear()
    await writer.feed(TEXT, "a")
    await written(log, task_id, 1)
    await eventually(lambda: writer.folded.position.seq == 1)
    timers.advance(1.01)
    await eventually(lambda: row.under_way == 1)
    flush = asyncio.ensure_future(writer.flush())
    await a_turn(2)
    assert not flush.done()
    row.gate.set()
    await flush
    assert row.under_way == 0
    timers.advance(10)
    await a_turn(2)
    assert len(row.snapshots) == 1


async def test_a_silent_writer_keeps_its_log_alive(
    log: RedisLog, task_id: str, timers: HandTimers, writer: AnswerWriter
) -> None:
    """Case B141: the lifetime is renewed four times in its length, without an entry."""
    kept: list[str] = []
    keep = log.keep

    async def noted(task: str) -> bool:
        renewed = await keep(task)
        kept.append(task)  # with this step the writer asks for the next time too
        return renewed

    log.keep = noted  # ty: ignore[invalid-assignment]
    for times in range(1, 9):
        timers.advance(log.open_seconds / 4)
        await eventually(lambda times=times: len(kept) == times)
    assert await written(log, task_id, 0) == []


async def test_a_writer_goes_on_where_a_kept_text_ends(log: RedisLog, task_id: str, row: Row) -> None:
    await log.fence(task_id, 2, 4)
    row.attempt = 2
    start = Folded(Transcript().append(TEXT, "kept"), Position(2, 0), attempt=1)
    writer = AnswerWriter(task_id, 2, start, log, row.snapshot, lambda: None)
    await writer.feed(TEXT, " on")
    folded = await writer.flush()
    assert (folded.text, folded.base, folded.attempt) == ("kept on", 4, 2)
    assert [(e.position, e.offset) for e in await log.after(task_id, Position(2, 0))] == [(Position(2, 1), 4)]
    await writer.close()


async def test_closing_writes_what_waits_then_the_closing_entry_and_rings(
    writer: AnswerWriter, log: RedisLog, task_id: str, rings: list[str]
) -> None:
    await writer.feed(TEXT, "a")
    await writer.feed(TEXT, "b")
    await writer.close()
    read = fold(Folded(), await log.after(task_id, START))
    assert (read.text, read.closed) == ("ab", True)
    assert rings[-1:] == [task_id]


async def test_an_abandoned_writer_writes_nothing_more_and_leaves_no_timer(
    writer: AnswerWriter, log: RedisLog, task_id: str, timers: HandTimers, row: Row
) -> None:
    """Case B145."""
    before = asyncio.all_tasks()
    await writer.feed(TEXT, "a")
    await written(log, task_id, 1)
    await writer.feed(TEXT, "b")
    await writer.abandon()
    await writer.abandon()
    timers.advance(5000)
    assert len(await written(log, task_id, 0)) == 1
    assert row.snapshots == []
    assert timers.waiting == 0
    assert len(asyncio.all_tasks()) == len(before) - 2


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    deltas=st.lists(
        st.tuples(
            st.sampled_from([TEXT, REASONING]),
            st.text(alphabet="a\r\n\x00é你😀\u200d\u0301\ud83d\ude00", max_size=4),
        ),
        max_size=20,
    )
)
def test_any_chunking_of_any_text_is_read_exactly(deltas: list[tuple[PartKind, str]]) -> None:
    """Cases B031, B036, B038."""
    asyncio.run(_write_and_read(deltas))


async def _write_and_read(deltas: list[tuple[PartKind, str]]) -> None:
    log, row = RedisLog(connect("memory://")), Row()
    await log.fence("t", 1, 0)
    writer = AnswerWriter("t", 1, Folded(), log, row.snapshot, lambda: None)
    for kind, delta in deltas:
        await writer.feed(kind, delta)
        await a_turn(2)
    whole = await writer.flush()
    await writer.close()
    read = fold(Folded(), await log.after("t", START))
    assert read.transcript == whole.transcript
    expected = ""
    run, last = "", None
    for kind, delta in [*deltas, (None, "")]:
        if kind is not last:
            expected, run, last = expected + well_formed(run), "", kind
        run += delta
    assert read.text == expected
