"""The log when the server, the way to it or the log itself fails."""

import asyncio

import pytest

from assistant.domain.errors import LogUnavailable
from assistant.domain.log import START, Entry, Folded, Gap, Op, Position, fold
from assistant.streams.connection import Client, connect, disconnect
from assistant.streams.log import RedisLog
from tests.contract.streams.faulty import FaultyClient, ReplyDroppingProxy
from tests.contract.streams.timers import a_turn
from tests.support.valkey import ValkeyServer


@pytest.fixture
def faulty(client: Client) -> FaultyClient:
    return FaultyClient(client)


def piece(seq: int, offset: int, text: str) -> Entry:
    return Entry(Position(1, seq), Op.TEXT, offset, text)


async def test_a_lost_reply_counts_as_landed_once(faulty: FaultyClient, task_id: str) -> None:
    log = RedisLog(faulty)
    await log.fence(task_id, 1, 0)
    faulty.lose_replies = 1
    assert await log.append(task_id, piece(1, 0, "once"))
    assert [entry.text for entry in await log.after(task_id, Position(1, 0))] == ["once"]


async def test_a_lost_reply_of_the_last_entry_before_a_newer_attempt_counts_as_landed(
    faulty: FaultyClient, task_id: str
) -> None:
    log = RedisLog(faulty)
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 0, "mine"))
    await log.fence(task_id, 2, 4)
    assert await log.append(task_id, piece(1, 0, "mine"))


async def test_a_reply_lost_on_the_way_back_makes_the_client_send_twice_and_lands_once(
    valkey: ValkeyServer, task_id: str
) -> None:
    path = valkey.socket_path.with_name("p")
    async with ReplyDroppingProxy(str(path), str(valkey.socket_path)) as proxy:
        client = connect(f"unix://{path}")
        log = RedisLog(client)
        await log.fence(task_id, 1, 0)
        proxy.drop_replies = 1
        assert await log.append(task_id, piece(1, 0, "once"))
        assert proxy.drop_replies == 0
        assert [entry.text for entry in await log.after(task_id, Position(1, 0))] == ["once"]
        await disconnect(client)


async def test_a_log_lost_under_its_writer_asks_for_a_replace(
    log: RedisLog, client: Client, task_id: str
) -> None:
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 0, "one "))
    await client.delete(f"s:{task_id}")
    assert await log.append(task_id, piece(2, 4, "two ")) is False
    whole = Entry(Position(1, 3), Op.REPLACE, 14, "one two three ")
    assert await log.append(task_id, whole)
    assert fold(Folded(), await log.after(task_id, START)).text == "one two three "


async def test_a_log_lost_in_the_middle_of_an_append_is_noticed_by_the_readers(
    faulty: FaultyClient, task_id: str
) -> None:
    """The writer saw a log; what it wrote stands alone. A reader of the row sees a gap, no wrong text."""
    log = RedisLog(faulty)
    await log.fence(task_id, 1, 0)
    await log.append(task_id, piece(1, 0, "one "))

    async def lose(command: str) -> None:
        if command == "expire":
            faulty.between = None
            await faulty.delete(f"s:{task_id}")

    faulty.between = lose
    assert await log.append(task_id, piece(2, 4, "two "))
    seen = fold(Folded(), await log.after(task_id, START))
    assert (seen.text, seen.gap) == ("", Gap(0, 4))


async def test_a_log_lost_together_with_the_reply_asks_for_a_replace_too(
    faulty: FaultyClient, task_id: str
) -> None:
    log = RedisLog(faulty)
    await log.fence(task_id, 1, 0)
    await faulty.delete(f"s:{task_id}")
    faulty.lose_replies = 1
    assert await log.append(task_id, piece(1, 0, "alone")) is False


async def test_a_server_that_is_away_is_said_to_be_away(faulty: FaultyClient, task_id: str) -> None:
    log = RedisLog(faulty)
    faulty.away = True
    for call in (
        log.fence(task_id, 1, 0),
        log.append(task_id, piece(1, 0, "x")),
        log.after(task_id, START),
        log.close(task_id, 1, 1, 0),
        log.keep(task_id),
        log.bump("session", 1),
        log.ring("owner"),
    ):
        with pytest.raises(LogUnavailable):
            await call


async def test_a_server_that_was_down_at_the_first_call_is_found_once_it_is_up(task_id: str) -> None:
    """Case B147: nothing of the failure is kept."""
    server = ValkeyServer()
    client = connect(server.url)
    log = RedisLog(client)
    try:
        with pytest.raises(LogUnavailable):
            await log.fence(task_id, 1, 0)
        server.start()
        await log.fence(task_id, 1, 0)
        assert await log.append(task_id, piece(1, 0, "up"))
        server.restart()
        assert [entry.text for entry in await log.after(task_id, START)] == ["", "up"]
    finally:
        await disconnect(client)
        server.stop()


async def test_a_cancellation_gets_through_at_every_point_of_a_first_command(
    shared_valkey: ValkeyServer, task_id: str
) -> None:
    """A runner or a follower that is cancelled while its client connects must not go on."""
    for turns in range(40):
        client = connect(shared_valkey.url)
        reading = asyncio.ensure_future(RedisLog(client).after(task_id, START))
        await a_turn(turns)
        if reading.cancel():
            await asyncio.wait({reading})
            assert reading.cancelled(), turns
        await disconnect(client)
