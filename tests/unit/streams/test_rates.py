"""How often something was done lately: counted in the process, in Redis, and alone while Redis is away."""

from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisAway

from assistant.streams import rates
from assistant.streams.rates import AWAY_SECONDS, MINUTE, RatesInProcess, RatesInRedis


class Time:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_020.0

    def __call__(self) -> float:
        return self.now


class Server:
    """As much of a client as counting needs."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.expiries: dict[str, int] = {}
        self.away = False
        self.asked = 0

    def pipeline(self) -> "Server":
        self._last = 0
        return self

    def incr(self, key: str) -> None:
        self.asked += 1
        if not self.away:
            self._last = self.counts[key] = self.counts.get(key, 0) + 1

    def expire(self, key: str, seconds: int) -> None:
        self.expiries[key] = seconds

    async def execute(self) -> list[Any]:
        if self.away:
            raise RedisAway("away")
        return [self._last, True]


async def test_so_many_a_minute_are_granted_at_once_and_then_one_by_one() -> None:
    time = Time()
    counted = RatesInProcess(time)
    assert [await counted.take("a", 3) for _ in range(3)] == [0.0, 0.0, 0.0]

    assert await counted.take("a", 3) == pytest.approx(MINUTE / 3)

    time.now += MINUTE / 3
    assert await counted.take("a", 3) == 0.0
    assert await counted.take("a", 3) > 0


async def test_a_refusal_costs_nothing() -> None:
    time = Time()
    counted = RatesInProcess(time)
    await counted.take("a", 1)
    waits = [await counted.take("a", 1) for _ in range(5)]

    assert waits == [MINUTE] * 5


async def test_names_do_not_count_for_each_other() -> None:
    counted = RatesInProcess(Time())
    await counted.take("a", 1)

    assert await counted.take("b", 1) == 0.0


async def test_the_process_holds_so_many_names_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MOST_NAMES", 10)
    time = Time()
    counted = RatesInProcess(time)
    for name in range(100):
        await counted.take(str(name), 1)

    assert len(counted._full_at) <= 10
    assert await counted.take("99", 1) > 0


async def test_processes_that_share_a_server_count_together() -> None:
    time, server = Time(), Server()
    here, there = (RatesInRedis(server, RatesInProcess(time), time, time) for _ in range(2))  # ty: ignore[invalid-argument-type]
    assert await here.take("a", 2) == 0.0
    assert await there.take("a", 2) == 0.0

    assert 0 < await here.take("a", 2) <= MINUTE
    assert list(server.expiries.values()) == [2 * MINUTE]
    time.now += MINUTE
    assert await there.take("a", 2) == 0.0


async def test_while_the_server_is_away_the_process_counts_alone_and_asks_again_later() -> None:
    time, server = Time(), Server()
    counted = RatesInRedis(server, RatesInProcess(time), time, time)  # ty: ignore[invalid-argument-type]
    server.away = True
    assert await counted.take("a", 1) == 0.0
    assert await counted.take("a", 1) > 0
    assert server.asked == 1

    server.away = False
    time.now += AWAY_SECONDS
    assert await counted.take("a", 1) == 0.0
    assert server.asked == 2
