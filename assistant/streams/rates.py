"""How often something was done in the last minute: in this process, or in Redis for all processes together.

In the process a name is a bucket that holds so many tokens and fills evenly in a minute, kept as the one
moment at which it is full again. In Redis it is a counter of the present minute, which costs one round trip.
While Redis is away, or slow, the process counts alone: nothing is refused since Redis could not be asked.
"""

import asyncio
import time
from collections.abc import Callable

import structlog

from assistant.domain.errors import LogUnavailable
from assistant.streams.connection import Client, available

MINUTE = 60.0
MOST_NAMES = 100_000
"""Held in the process; beyond it those that are full again are dropped, then the oldest."""

ANSWERS_WITHIN_SECONDS = 0.25
AWAY_SECONDS = 5.0

_log = structlog.get_logger(__name__)


class RatesInProcess:
    """`Rates` of this process alone. Times are seconds of `monotonic`."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._full_at: dict[str, float] = {}

    async def take(self, name: str, per_minute: int) -> float:
        """One token of the bucket, or the seconds until there is one."""
        now = self._monotonic()
        each = MINUTE / per_minute
        full_at = max(self._full_at.get(name, now), now) + each
        if full_at - now > MINUTE:
            return full_at - now - MINUTE
        self._full_at.pop(name, None)  # the newest last
        self._full_at[name] = full_at
        if len(self._full_at) > MOST_NAMES:
            self._drop(now)
        return 0.0

    def _drop(self, now: float) -> None:
        kept = {name: full_at for name, full_at in self._full_at.items() if full_at > now}
        newest = list(kept.items())[-MOST_NAMES // 2 :]
        self._full_at = dict(newest)


class RatesInRedis:
    """`Rates` of all processes that share a server. Times are seconds of `clock`, the same everywhere."""

    def __init__(
        self,
        client: Client,
        alone: RatesInProcess,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._alone = alone
        self._clock = clock
        self._monotonic = monotonic
        self._away_until = 0.0

    async def take(self, name: str, per_minute: int) -> float:
        """One of the present minute, or the seconds until the next begins."""
        if self._monotonic() < self._away_until:
            return await self._alone.take(name, per_minute)
        minute, passed = divmod(self._clock(), MINUTE)
        key = f"r:{name}:{int(minute)}"
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_SECONDS):
                with available():
                    batch = self._client.pipeline()
                    batch.incr(key)
                    batch.expire(key, int(2 * MINUTE))
                    taken = (await batch.execute())[0]
        except (LogUnavailable, TimeoutError):
            self._away_until = self._monotonic() + AWAY_SECONDS
            _log.warning("rates are counted in this process alone: the server does not answer")
            return await self._alone.take(name, per_minute)
        return 0.0 if taken <= per_minute else MINUTE - passed
