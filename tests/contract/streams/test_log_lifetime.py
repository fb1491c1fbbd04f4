"""How long a log lives: an open one is kept alive, a closed one goes by itself."""

from typing import Any, cast

from assistant.domain.log import START, Entry, Op, Position
from assistant.streams.connection import Client
from assistant.streams.log import RedisLog
from tests.support.eventually import eventually


async def seconds_left(client: Client, task_id: str) -> int:
    return await cast(Any, client).ttl(f"s:{task_id}")


async def test_every_sign_of_life_extends_an_open_log(client: Client, task_id: str) -> None:
    """Case B141."""
    brief, long = RedisLog(client, open_seconds=50), RedisLog(client, open_seconds=5000)
    await brief.fence(task_id, 1, 0)
    assert 0 < await seconds_left(client, task_id) <= 50
    assert await long.append(task_id, Entry(Position(1, 1), Op.TEXT, 0, "x"))
    assert await seconds_left(client, task_id) > 4000
    assert await RedisLog(client, open_seconds=9000).keep(task_id)
    assert await seconds_left(client, task_id) > 8000


async def test_keeping_a_lost_log_says_that_it_is_lost(log: RedisLog, task_id: str) -> None:
    assert await log.keep(task_id) is False


async def test_closing_shrinks_the_lifetime(client: Client, task_id: str) -> None:
    """Case B143."""
    log = RedisLog(client, open_seconds=5000, closed_seconds=60)
    await log.fence(task_id, 1, 0)
    await log.close(task_id, 1, 1, 0)
    assert 0 < await seconds_left(client, task_id) <= 60


async def test_a_closed_log_goes_away_without_any_later_traffic(client: Client, task_id: str) -> None:
    """Case B143."""
    log = RedisLog(client, closed_seconds=1)
    await log.fence(task_id, 1, 0)
    await log.close(task_id, 1, 1, 0)

    async def gone() -> bool:
        return not await log.after(task_id, START)

    assert await eventually(gone)


async def test_a_refused_close_leaves_the_newer_attempts_lifetime_alone(client: Client, task_id: str) -> None:
    log = RedisLog(client, open_seconds=5000, closed_seconds=60)
    await log.fence(task_id, 2, 0)
    await log.close(task_id, 1, 9, 0)
    assert await seconds_left(client, task_id) > 4000
