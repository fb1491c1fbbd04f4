"""The hub when the log, its end mark, the server or the row is lost."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from assistant.domain.log import Entry, Folded, Gap, Op, Position
from assistant.domain.transcript import PartKind, Transcript
from assistant.streams.connection import Client, connect, disconnect
from assistant.streams.hub import StreamHub
from assistant.streams.log import RedisLog
from assistant.streams.writer import AnswerWriter
from tests.contract.streams.faulty import FaultyClient
from tests.contract.streams.followers import Follower
from tests.contract.streams.rows import Row
from tests.contract.streams.timers import HandTimers, a_turn
from tests.support.eventually import eventually
from tests.support.valkey import ValkeyServer

TEXT = PartKind.TEXT


def piece(attempt: int, seq: int, offset: int, text: str) -> Entry:
    return Entry(Position(attempt, seq), Op.TEXT, offset, text)


def folded(text: str, attempt: int, seq: int) -> Folded:
    return Folded(Transcript().append(TEXT, text), Position(attempt, seq), attempt)


async def no_version(_: str) -> int | None:
    return None


@pytest.fixture
def faulty(client: Client) -> FaultyClient:
    return FaultyClient(client)


@pytest.fixture
def row() -> Row:
    return Row()


@pytest.fixture
async def hub(faulty: FaultyClient, row: Row, timers: HandTimers) -> AsyncGenerator[StreamHub]:
    hub = StreamHub(RedisLog(faulty), row.stored, no_version, timers=timers)
    yield hub
    await hub.aclose()


async def test_a_gap_is_shown_until_the_row_reaches_over_it(
    hub: StreamHub, log: RedisLog, row: Row, task_id: str, faulty: FaultyClient, timers: HandTimers
) -> None:
    """The log is lost between EXPIRE and XADD, and the hub never saw the entry before."""
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 1, 0, "one "))
    async with hub.watch(task_id) as channel:
        follower = Follower(channel)
        await log.append(task_id, piece(1, 2, 4, "two "))
        await faulty.delete(f"s:{task_id}")
        await log.append(task_id, piece(1, 3, 8, "three "))
        timers.advance(0.026)
        await eventually(lambda: channel.folded.gap == Gap(4, 8))
        assert channel.folded.text == "one "
        await eventually(lambda: row.reads == 2)
        timers.advance(0.2)
        await log.append(task_id, piece(1, 4, 14, "four"))
        row.folded = folded("one two three ", 1, 3)
        timers.advance(0.06)
        await eventually(lambda: channel.folded.gap is None)
        assert row.reads == 3
        follower.take()
        assert follower.shown.text == channel.folded.text == "one two three four"


async def test_a_lost_end_mark_hangs_nobody(
    hub: StreamHub, log: RedisLog, row: Row, task_id: str, timers: HandTimers
) -> None:
    """Cases B027, B042: neither the last burst nor the closing entry ever arrives."""
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 1, 0, "one "))
    async with hub.watch(task_id) as channel:
        following = asyncio.ensure_future(Follower(channel).until_closed())
        row.end(folded("one two", 1, 2))
        timers.advance(4.9)
        await eventually(lambda: row.reads == 1)
        assert not channel.folded.closed
        timers.advance(0.2)
        assert await following == "one two"


async def test_a_text_that_turns_out_to_be_wrong_is_replaced_whole(
    hub: StreamHub, log: RedisLog, task_id: str, faulty: FaultyClient, timers: HandTimers
) -> None:
    """The log was lost with an attempt that nobody here saw; only the next REPLACE shows it."""
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 1, 0, "aaaa"))
    async with hub.watch(task_id) as channel:
        follower = Follower(channel)
        await faulty.delete(f"s:{task_id}")
        await log.append(task_id, piece(3, 1, 4, "cc"))
        timers.advance(0.026)
        await channel.changed(follower.folded, within=5)
        follower.take()
        assert follower.shown.text == "aaaacc"
        whole = Transcript().append(TEXT, "bbbbccc")
        await log.append(task_id, Entry(Position(3, 2), Op.REPLACE, 7, whole.text, parts=whole.parts))
        timers.advance(0.026)
        while await channel.changed(follower.folded, within=0.2):
            follower.take()
        assert follower.shown.text == "bbbbccc"


async def test_a_task_that_ended_before_anybody_came_is_closed_at_once(
    hub: StreamHub, row: Row, task_id: str, faulty: FaultyClient
) -> None:
    """Case B041: over when asked means the final text, not an empty stream."""
    row.end(folded("all", 1, 3))
    async with hub.watch(task_id) as channel:
        assert (channel.folded.text, channel.folded.closed) == ("all", True)
    assert faulty.trips == {}


async def test_an_end_mark_asks_for_the_row_at_once_and_the_row_closes(
    hub: StreamHub, log: RedisLog, row: Row, task_id: str, timers: HandTimers
) -> None:
    """Case B048: a reader that missed an attempt may hold a text that only looks like the stored one."""
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 1, 0, "aaaa"))
    async with hub.watch(task_id) as channel:
        follower = Follower(channel)
        await log.fence(task_id, 3, 4)
        await log.close(task_id, 3, 1, 4)
        row.away = True
        timers.advance(0.026)
        await eventually(lambda: row.reads == 2)
        assert not channel.folded.closed
        row.away = False
        row.end(folded("bbbb", 3, 1))
        timers.advance(0.26)
        assert await follower.until_closed() == "bbbb"


async def test_a_stored_end_that_is_not_what_was_shown_has_the_last_word(
    hub: StreamHub, log: RedisLog, row: Row, task_id: str, timers: HandTimers
) -> None:
    """Case B048: stopped after the log was lost, the row kept less than a page had seen."""
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 1, 0, "one two three"))
    async with hub.watch(task_id) as channel:
        follower = Follower(channel)
        row.end(folded("one two", 1, 1))
        timers.advance(5.01)
        assert await follower.until_closed() == "one two"


async def test_followers_progress_by_the_row_while_the_log_is_away(
    hub: StreamHub, log: RedisLog, row: Row, task_id: str, faulty: FaultyClient, timers: HandTimers
) -> None:
    """Case B147: down in mid-run, the hub heals by itself."""
    await log.fence(task_id, 1, 0)
    async with hub.watch(task_id) as channel:
        follower = Follower(channel)
        faulty.away = True
        timers.advance(0.026)
        await eventually(lambda: faulty.trips["xread"] == 2)
        row.folded = folded("from the row", 1, 3)
        await eventually(lambda: timers.advance(0.3) or channel.folded.text == "from the row")
        row.folded = folded("from the row, grown", 1, 3)
        await eventually(lambda: timers.advance(0.3) or channel.folded.text == "from the row, grown")
        faulty.away = False
        await log.append(task_id, piece(1, 4, 19, "; and from the log"))
        await eventually(lambda: timers.advance(0.3) or channel.folded.position == Position(1, 4))
        follower.take()
        assert follower.shown.text == "from the row, grown; and from the log"


async def test_a_log_that_is_away_is_asked_less_and_less_often(
    hub: StreamHub, task_id: str, faulty: FaultyClient, timers: HandTimers
) -> None:
    """Case B047."""
    async with hub.watch(task_id):
        faulty.away = True
        await eventually(lambda: timers.advance(1.01) or faulty.trips["xread"] >= 12)
        before = faulty.trips["xread"]
        for _ in range(40):
            timers.advance(0.026)
            await a_turn(5)
        assert 1 <= faulty.trips["xread"] - before <= 4


async def test_a_watch_begins_with_the_row_while_the_log_is_away(
    hub: StreamHub, row: Row, task_id: str, faulty: FaultyClient
) -> None:
    faulty.away = True
    row.folded = folded("stored", 1, 3)
    async with hub.watch(task_id) as channel:
        assert channel.folded.text == "stored"


async def test_a_task_whose_row_is_gone_is_closed(
    hub: StreamHub, row: Row, task_id: str, timers: HandTimers
) -> None:
    async with hub.watch(task_id) as channel:
        row.gone = True
        timers.advance(5.01)
        await eventually(lambda: channel.folded.closed)


async def test_a_database_that_is_away_is_asked_again(
    hub: StreamHub, row: Row, task_id: str, timers: HandTimers
) -> None:
    async with hub.watch(task_id) as channel:
        row.away = True
        timers.advance(5.01)
        await eventually(lambda: row.reads == 2)
        row.away = False
        row.end(folded("end", 1, 1))
        await eventually(lambda: timers.advance(1) or channel.folded.closed)


async def test_an_unforeseen_failure_does_not_end_the_reader(
    hub: StreamHub, log: RedisLog, row: Row, task_id: str, faulty: FaultyClient, timers: HandTimers
) -> None:
    async def break_once() -> None:
        faulty.before_read = None
        raise ZeroDivisionError

    await log.fence(task_id, 1, 0)
    async with hub.watch(task_id) as channel:
        faulty.before_read = break_once
        timers.advance(0.026)
        await eventually(lambda: faulty.before_read is None)
        await log.append(task_id, piece(1, 1, 0, "on"))
        await eventually(lambda: timers.advance(0.5) or channel.folded.text == "on")
        assert row.reads == 1


async def test_a_first_watcher_that_leaves_while_it_opens_takes_nobody_with_it(
    hub: StreamHub, log: RedisLog, task_id: str, faulty: FaultyClient
) -> None:
    gate, held = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        held.set()
        await gate.wait()

    async def text() -> str:
        async with hub.watch(task_id) as channel:
            return channel.folded.text

    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 1, 0, "here"))
    faulty.before_read = hold
    first = asyncio.create_task(text())
    await held.wait()
    second = asyncio.create_task(text())
    first.cancel()
    await asyncio.wait({first})
    gate.set()
    assert await second == "here"


async def test_a_server_restarted_in_mid_run_heals(valkey: ValkeyServer, row: Row, task_id: str) -> None:
    """Case B147: writer, hub and follower go on by themselves, and every character is shown once."""
    client = connect(valkey.url)
    log = RedisLog(client)
    hub = StreamHub(log, row.stored, no_version)
    await log.fence(task_id, 1, 0)
    writer = AnswerWriter(task_id, 1, Folded(), log, row.snapshot, lambda: hub.ring(task_id))
    async with hub.watch(task_id) as channel:
        follower = Follower(channel)
        await writer.feed(TEXT, "before, ")
        await eventually(lambda: channel.folded.text == "before, ")
        valkey.kill()
        await writer.feed(TEXT, "during, ")
        await eventually(lambda: channel.folded.text == "before, during, ")
        valkey.start()
        await writer.feed(TEXT, "after")
        await eventually(lambda: channel.folded.text == "before, during, after")
        row.end(await writer.flush())
        await writer.close()
        assert await follower.until_closed() == "before, during, after"
    await hub.aclose()
    await disconnect(client)
