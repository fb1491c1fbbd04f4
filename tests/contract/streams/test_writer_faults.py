"""The writer when a newer attempt owns the task, or when the log or the row is away."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from assistant.domain.errors import Fenced, LogUnavailable
from assistant.domain.log import START, Folded, Op, Position, fold
from assistant.domain.transcript import PartKind
from assistant.streams.connection import Client
from assistant.streams.log import RedisLog
from assistant.streams.writer import AnswerWriter
from tests.contract.streams.faulty import FaultyClient
from tests.contract.streams.rows import Row
from tests.contract.streams.timers import HandTimers
from tests.support.eventually import eventually

TEXT = PartKind.TEXT


@pytest.fixture
def faulty(client: Client) -> FaultyClient:
    return FaultyClient(client)


@pytest.fixture
def row() -> Row:
    return Row()


@pytest.fixture
async def writer(
    faulty: FaultyClient, task_id: str, row: Row, timers: HandTimers
) -> AsyncGenerator[AnswerWriter]:
    log = RedisLog(faulty)
    await log.fence(task_id, 1, 0)
    writer = AnswerWriter(task_id, 1, Folded(), log, row.snapshot, lambda: None, timers=timers)
    yield writer
    await writer.abandon()


async def wrote(writer: AnswerWriter, seq: int) -> None:
    await eventually(lambda: writer.folded.position.seq == seq)


async def test_a_fenced_writer_writes_nothing_more_and_says_so_at_once(
    writer: AnswerWriter, log: RedisLog, task_id: str, row: Row, timers: HandTimers
) -> None:
    await writer.feed(TEXT, "mine")
    await wrote(writer, 1)
    await log.fence(task_id, 2, 4)
    row.attempt = 2
    timers.advance(0.1)
    await writer.feed(TEXT, " zombie")
    await asyncio.wait_for(writer.fenced.wait(), 5)
    with pytest.raises(Fenced):
        await writer.feed(TEXT, "!")
    with pytest.raises(Fenced):
        await writer.flush()
    timers.advance(10)
    await writer.close()
    entries = await log.after(task_id, START)
    assert [entry.op for entry in entries] == [Op.FENCE, Op.TEXT, Op.FENCE]
    assert row.snapshots == []


async def test_a_refused_snapshot_fences_a_silent_writer(
    writer: AnswerWriter, row: Row, timers: HandTimers
) -> None:
    await writer.feed(TEXT, "mine")
    await wrote(writer, 1)
    row.attempt = 2
    timers.advance(1.01)
    await asyncio.wait_for(writer.fenced.wait(), 5)
    with pytest.raises(Fenced):
        await writer.feed(TEXT, "!")


async def test_a_flush_that_meets_a_newer_attempt_is_fenced(
    writer: AnswerWriter, log: RedisLog, task_id: str
) -> None:
    await log.fence(task_id, 2, 0)
    await writer.feed(TEXT, "late")
    with pytest.raises(Fenced):
        await writer.flush()


async def test_text_written_while_the_log_is_away_comes_back_in_one_replace(
    writer: AnswerWriter, faulty: FaultyClient, log: RedisLog, task_id: str, timers: HandTimers, row: Row
) -> None:
    """Case B147: the task goes on, the row gets its snapshots, readers are exact afterwards."""
    await writer.feed(TEXT, "one ")
    await wrote(writer, 1)
    faulty.away = True
    timers.advance(0.1)
    await writer.feed(TEXT, "two ")
    await wrote(writer, 2)
    await writer.feed(TEXT, "three ")
    timers.advance(1.01)
    await eventually(lambda: row.folded.text == "one two three ")
    faulty.away = False
    timers.advance(0.6)

    async def back() -> bool:
        return fold(Folded(), await log.after(task_id, START)).text == "one two three "

    await eventually(back)
    timers.advance(0.1)
    await writer.feed(TEXT, "four")
    whole = await writer.flush()
    entries = await log.after(task_id, START)
    assert [entry.op for entry in entries][-2:] == [Op.REPLACE, Op.TEXT]
    assert fold(Folded(), entries).text == whole.text == "one two three four"
    later = await log.after(task_id, row.folded.position)
    assert fold(row.folded, later).text == whole.text


async def test_an_entry_that_landed_though_its_reply_never_came_doubles_nothing(
    writer: AnswerWriter, faulty: FaultyClient, log: RedisLog, task_id: str, timers: HandTimers
) -> None:
    """The writer cannot know; the number counts as used and the whole text follows."""
    faulty.lose_replies, faulty.lose_for_good = 1, True
    await writer.feed(TEXT, "once ")
    await wrote(writer, 1)
    timers.advance(0.6)
    await writer.feed(TEXT, "more")
    await writer.flush()
    entries = await log.after(task_id, Position(1, 0))
    assert [entry.op for entry in entries] == [Op.TEXT, Op.REPLACE]
    assert fold(Folded(), entries).text == "once more"


async def test_flush_returns_the_whole_while_the_log_is_away(
    writer: AnswerWriter, faulty: FaultyClient
) -> None:
    faulty.away = True
    await writer.feed(TEXT, "kept")
    assert (await writer.flush()).text == "kept"
    with pytest.raises(LogUnavailable):
        await writer.close()


async def test_a_log_lost_in_mid_answer_is_whole_again_with_the_next_entry(
    writer: AnswerWriter, faulty: FaultyClient, log: RedisLog, task_id: str, timers: HandTimers
) -> None:
    await writer.feed(TEXT, "one ")
    await wrote(writer, 1)
    await faulty.delete(f"s:{task_id}")
    timers.advance(0.1)
    await writer.feed(TEXT, "two ")
    await wrote(writer, 3)
    entries = await log.after(task_id, START)
    assert [entry.op for entry in entries] == [Op.TEXT, Op.REPLACE]
    assert fold(Folded(), entries).text == "one two "


async def test_a_log_lost_under_a_silent_writer_is_written_again(
    writer: AnswerWriter, faulty: FaultyClient, log: RedisLog, task_id: str, timers: HandTimers
) -> None:
    """Case B141."""
    await writer.feed(TEXT, "one ")
    await wrote(writer, 1)
    await faulty.delete(f"s:{task_id}")
    timers.advance(log.open_seconds / 4 + 1)
    await wrote(writer, 2)
    assert fold(Folded(), await log.after(task_id, START)).text == "one "


async def test_a_database_that_is_away_is_asked_again(
    writer: AnswerWriter, row: Row, timers: HandTimers
) -> None:
    row.away = True
    await writer.feed(TEXT, "a")
    await wrote(writer, 1)
    timers.advance(1.01)
    await eventually(lambda: row.most_under_way == 1 and row.under_way == 0)
    row.away = False
    await eventually(lambda: timers.advance(1.01) or row.folded.text == "a")
    await writer.feed(TEXT, "b")
    assert (await writer.flush()).text == "ab"


async def test_a_broken_snapshot_is_told_at_the_next_delta(
    log: RedisLog, task_id: str, timers: HandTimers, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_: Folded) -> bool:
        raise ZeroDivisionError

    await log.fence(task_id, 1, 0)
    writer = AnswerWriter(task_id, 1, Folded(), log, broken, lambda: None, timers=timers)
    await writer.feed(TEXT, "a")
    await wrote(writer, 1)
    timers.advance(1.01)
    await eventually(lambda: bool(caplog.records))
    with pytest.raises(ZeroDivisionError):
        await writer.feed(TEXT, "b")
    await writer.abandon()


async def test_what_is_on_its_way_to_the_log_is_part_of_the_whole(
    writer: AnswerWriter, faulty: FaultyClient
) -> None:
    gate = asyncio.Event()
    held = asyncio.Event()

    async def hold() -> None:
        held.set()
        await gate.wait()

    faulty.before_batch = hold
    await writer.feed(TEXT, "one ")
    await held.wait()
    await writer.feed(TEXT, "two")
    assert writer.folded.text == "one two"
    gate.set()


async def test_a_cancelled_flush_leaves_the_writer_usable(
    writer: AnswerWriter, faulty: FaultyClient, log: RedisLog, task_id: str
) -> None:
    gate = asyncio.Event()
    faulty.before_batch = gate.wait  # ty: ignore[invalid-assignment]
    await writer.feed(TEXT, "one ")
    flush = asyncio.ensure_future(writer.flush())
    await eventually(lambda: faulty.trips.get("batch", 0) == 2)
    flush.cancel()
    await asyncio.wait({flush})
    gate.set()
    await writer.feed(TEXT, "two")
    assert (await writer.flush()).text == "one two"
    assert fold(Folded(), await log.after(task_id, START)).text == "one two"
