"""The hub: one reader for everybody, from any start, and nothing left behind."""

import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest

from assistant.domain.errors import NotFound, StoreUnavailable
from assistant.domain.frames import Shown
from assistant.domain.log import Entry, Folded, Op, Position
from assistant.domain.transcript import PartKind, Transcript
from assistant.streams.connection import Client
from assistant.streams.hub import StreamHub
from assistant.streams.log import RedisLog
from tests.contract.streams.faulty import FaultyClient
from tests.contract.streams.followers import Follower
from tests.contract.streams.rows import Row
from tests.contract.streams.timers import HandTimers
from tests.support.eventually import eventually

TEXT = PartKind.TEXT


def piece(attempt: int, seq: int, offset: int, text: str) -> Entry:
    return Entry(Position(attempt, seq), Op.TEXT, offset, text)


@pytest.fixture
def faulty(client: Client) -> FaultyClient:
    return FaultyClient(client)


@pytest.fixture
def row() -> Row:
    return Row()


@pytest.fixture
def versions() -> dict[str, int]:
    return {}


@pytest.fixture
async def hub(
    faulty: FaultyClient, row: Row, versions: dict[str, int], timers: HandTimers
) -> AsyncGenerator[StreamHub]:
    async def version_of(session_id: str) -> int | None:
        return versions.get(session_id)

    hub = StreamHub(RedisLog(faulty), row.stored, version_of, timers=timers)
    yield hub
    await hub.aclose()


async def test_a_watch_begins_with_the_row_and_the_log_after_it(
    hub: StreamHub, log: RedisLog, row: Row, task_id: str
) -> None:
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 1, 0, "one "))
    await log.append(task_id, piece(1, 2, 4, "two"))
    row.folded = Folded(Transcript().append(TEXT, "one "), Position(1, 1), 1)
    async with hub.watch(task_id) as channel:
        assert channel.folded.text == "one two"
        assert not channel.folded.closed


async def test_a_task_without_an_entry_is_no_gap(hub: StreamHub, task_id: str) -> None:
    async with hub.watch(task_id) as channel:
        assert (channel.folded.text, channel.folded.gap) == ("", None)


async def test_news_comes_with_the_next_tick(
    hub: StreamHub, log: RedisLog, task_id: str, timers: HandTimers
) -> None:
    await log.fence(task_id, 1, 0)
    async with hub.watch(task_id) as channel:
        seen = channel.folded
        waiting = asyncio.ensure_future(channel.changed(seen, within=5))
        await log.append(task_id, piece(1, 1, 0, "hi"))
        assert not waiting.done()
        timers.advance(0.026)
        assert await waiting
        assert channel.folded.text == "hi"


async def test_a_ring_makes_the_hub_read_now(hub: StreamHub, log: RedisLog, task_id: str) -> None:
    await log.fence(task_id, 1, 0)
    async with hub.watch(task_id) as channel:
        await log.append(task_id, piece(1, 1, 0, "hi"))
        hub.ring(task_id)
        assert await channel.changed(channel.folded, within=5)
        assert channel.folded.text == "hi"


async def test_waiting_without_news_ends_in_time(hub: StreamHub, task_id: str) -> None:
    async with hub.watch(task_id) as channel:
        assert not await channel.changed(channel.folded, within=0.01)
        assert await channel.changed(Folded(), within=0.01)


async def test_what_is_written_between_the_registration_and_the_first_read_is_there(
    hub: StreamHub, log: RedisLog, row: Row, task_id: str, faulty: FaultyClient, timers: HandTimers
) -> None:
    """Cases B023, B025: five pieces come while the follower is between row and log."""
    await log.fence(task_id, 1, 0)

    async def write() -> None:
        faulty.before_read = None
        for seq in range(1, 6):
            await log.append(task_id, piece(1, seq, seq - 1, "abcde"[seq - 1]))
        row.folded = Folded(Transcript().append(TEXT, "abc"), Position(1, 3), 1)

    faulty.before_read = write
    async with hub.watch(task_id) as channel:
        assert channel.folded.text == "abcde"
        await log.append(task_id, piece(1, 6, 5, "f"))
        timers.advance(0.026)
        await eventually(lambda: channel.folded.text == "abcdef")


async def test_a_hundred_watchers_share_one_reader(
    hub: StreamHub, log: RedisLog, task_id: str, faulty: FaultyClient, row: Row
) -> None:
    """Round trips and tasks do not grow with the number of watchers."""
    await log.fence(task_id, 1, 0)
    before = len(asyncio.all_tasks())
    async with asyncio.TaskGroup() as group:
        texts = [group.create_task(_follow(hub, task_id)) for _ in range(100)]
        await eventually(lambda: _watchers(hub, task_id) == 100)
        opened = dict(faulty.trips)
        for seq in range(1, 11):
            await log.append(task_id, piece(1, seq, seq - 1, "x"))
            hub.ring(task_id)
            await eventually(lambda seq=seq: faulty.trips["xread"] == opened["xread"] + seq)
        row.end(Folded(Transcript().append(TEXT, "x" * 10), Position(1, 10), 1))
        await log.close(task_id, 1, 11, 10)
        hub.ring(task_id)
    assert [text.result() for text in texts] == ["x" * 10] * 100
    assert opened["xread"] == 1
    assert faulty.trips["xread"] <= 12
    assert row.reads == 2
    await eventually(lambda: len(asyncio.all_tasks()) == before)


async def test_nothing_is_left_of_five_hundred_followers_that_ended_in_every_way(
    hub: StreamHub, log: RedisLog, row: Row, new_id: Callable[[], str], timers: HandTimers
) -> None:
    """Case B145: by the end, by an error, by a cancel."""
    task_ids = [new_id() for _ in range(5)]
    for task_id in task_ids:
        await log.fence(task_id, 1, 0)
    before = len(asyncio.all_tasks())

    opened: list[str] = []

    async def follow(task_id: str, *, fails: bool) -> str:
        async with hub.watch(task_id) as channel:
            follower = Follower(channel)
            opened.append(task_id)
            if fails:
                await channel.changed(follower.folded, within=5)
                raise ZeroDivisionError
            return await follower.until_closed()

    followers = [
        asyncio.create_task(follow(task_ids[number % 5], fails=number % 3 == 0)) for number in range(500)
    ]
    await eventually(lambda: len(opened) == 500)
    for follower in followers[1::3]:
        follower.cancel()
    row.end(Folded(Transcript().append(TEXT, "end"), Position(1, 1), 1))
    for task_id in task_ids:
        await log.append(task_id, piece(1, 1, 0, "end"))
        await log.close(task_id, 1, 2, 3)
    await eventually(lambda: timers.advance(0.026) or all(task.done() for task in followers))
    ends = await asyncio.gather(*followers, return_exceptions=True)
    assert all(isinstance(end, ZeroDivisionError) for end in ends[0::3])
    assert all(isinstance(end, asyncio.CancelledError) for end in ends[1::3])
    assert set(ends[2::3]) == {"end"}
    await eventually(lambda: len(asyncio.all_tasks()) == before and timers.waiting == 0)
    assert [_watchers(hub, task) for task in task_ids] == [0] * 5


async def test_nothing_is_read_while_nobody_watches(
    hub: StreamHub, task_id: str, faulty: FaultyClient, timers: HandTimers
) -> None:
    async with hub.watch(task_id):
        pass
    await eventually(lambda: timers.waiting == 0)
    trips = dict(faulty.trips)
    hub.ring(task_id)
    timers.advance(60)
    assert faulty.trips == trips


async def test_a_watch_that_cannot_begin_leaves_nothing(hub: StreamHub, row: Row, task_id: str) -> None:
    """Case B145."""
    row.gone = True
    with pytest.raises(NotFound):
        await hub.watch(task_id).__aenter__()
    row.gone, row.away = False, True
    with pytest.raises(StoreUnavailable):
        await hub.watch(task_id).__aenter__()
    assert _watchers(hub, task_id) == 0
    row.away = False
    async with hub.watch(task_id) as channel:
        assert channel.folded.text == ""


async def test_a_follower_of_two_newer_attempts_shows_the_newest_exactly(
    hub: StreamHub, log: RedisLog, task_id: str, timers: HandTimers
) -> None:
    """One is awake all the time, one sleeps through the attempt in between."""
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 1, 0, "0123456789abc"))
    async with hub.watch(task_id) as one, hub.watch(task_id) as other:
        awake, asleep = Follower(one), Follower(other)
        await log.fence(task_id, 2, 5)
        await log.append(task_id, piece(2, 1, 5, "VWXYZ"))
        timers.advance(0.026)
        await eventually(lambda: one.folded.attempt == 2)
        awake.take()
        assert awake.shown.text == "01234VWXYZ"
        await one.changed(awake.folded, within=0)
        await log.fence(task_id, 3, 8)
        await log.append(task_id, piece(3, 1, 8, "!"))
        timers.advance(0.026)
        await eventually(lambda: one.folded.attempt == 3)
        for follower in (awake, asleep):
            follower.take()
            assert follower.shown == Shown(3, "01234VWX!")
        assert (one.folded.base, other.folded.base) == (8, 5)


async def test_a_version_is_told_once_it_is_higher(
    hub: StreamHub, log: RedisLog, versions: dict[str, int], new_id: Callable[[], str], timers: HandTimers
) -> None:
    session_id = new_id()
    versions[session_id] = 4
    async with hub.session(session_id) as session:
        assert await session.after(3, within=5) == 4
        assert await session.after(4, within=0.01) is None
        await log.bump(session_id, 6)
        timers.advance(0.026)
        assert await session.after(4, within=5) == 6


async def test_a_lost_bump_costs_one_recheck(
    hub: StreamHub, versions: dict[str, int], new_id: Callable[[], str], timers: HandTimers
) -> None:
    session_id = new_id()
    versions[session_id] = 4
    async with hub.session(session_id) as session:
        versions[session_id] = 5
        timers.advance(5.01)
        assert await session.after(4, within=5) == 5


async def test_a_ring_of_the_owner_is_heard_by_each_listener_once(
    hub: StreamHub, log: RedisLog, new_id: Callable[[], str], timers: HandTimers
) -> None:
    owner_id = new_id()
    await log.ring(owner_id)
    async with hub.owner(owner_id) as one, hub.owner(owner_id) as other:
        assert not await one.next(within=0.01)
        await log.ring(owner_id)
        timers.advance(0.026)
        assert await one.next(within=5)
        assert await other.next(within=5)
        assert not await one.next(within=0.01)


async def _follow(hub: StreamHub, task_id: str) -> str:
    async with hub.watch(task_id) as channel:
        return await Follower(channel).until_closed()


def _watchers(hub: StreamHub, task_id: str) -> int:
    followed = hub._tasks.get(task_id)
    return followed.watchers if followed is not None else 0
