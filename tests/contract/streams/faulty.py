"""Clients and ways to a server that fail at one named point."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from redis.exceptions import ConnectionError as ServerAway

from assistant.streams.connection import Client


class FaultyClient:
    """A client whose next commands fail on demand, in front of a real one.

    `away`: nothing reaches the server. `lose_replies`: so many batches are carried out, their reply is
    lost, and the library sends them again, as redis-py does by itself; with `lose_for_good` it gives
    up instead. `between`: a batch is carried out command by command, and this is awaited after each.
    `before_read` and `before_batch` are awaited first. `trips` counts round trips by command.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self.away = False
        self.lose_replies = 0
        self.lose_for_good = False
        self.between: Callable[[str], Awaitable[None]] | None = None
        self.before_read: Callable[[], Awaitable[None]] | None = None
        self.before_batch: Callable[[], Awaitable[None]] | None = None
        self.trips: dict[str, int] = {}

    async def xread(self, streams: Any, count: int | None = None) -> Any:
        self._trip("xread")
        if self.before_read is not None:
            await self.before_read()
        return await self._client.xread(streams, count=count)

    async def xrange(self, name: str, min: str, max: str, count: int | None = None) -> Any:
        self._trip("xrange")
        return await self._client.xrange(name, min, max, count=count)

    async def expire(self, name: str, time: int) -> Any:
        self._trip("expire")
        return await self._client.expire(name, time)

    async def delete(self, *names: str) -> Any:
        self._trip("delete")
        return await self._client.delete(*names)

    def pipeline(self) -> "FaultyBatch":
        return FaultyBatch(self, self._client)

    def _trip(self, command: str) -> None:
        self.trips[command] = self.trips.get(command, 0) + 1
        if self.away:
            raise ServerAway("cut off by the test")


class FaultyBatch:
    """A batch of a FaultyClient."""

    def __init__(self, owner: FaultyClient, client: Client) -> None:
        self._owner = owner
        self._client = client
        self._commands: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def expire(self, *args: Any, **named: Any) -> None:
        self._commands.append(("expire", args, named))

    def xadd(self, *args: Any, **named: Any) -> None:
        self._commands.append(("xadd", args, named))

    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        self._owner._trip("batch")
        if self._owner.before_batch is not None:
            await self._owner.before_batch()
        if self._owner.between is not None:
            return await self._one_by_one()
        if self._owner.lose_replies:
            self._owner.lose_replies -= 1
            await self._send()
            if self._owner.lose_for_good:
                raise ServerAway("the reply was lost")
        return await self._send()

    async def _send(self) -> list[Any]:
        batch = self._client.pipeline()
        for name, args, named in self._commands:
            getattr(batch, name)(*args, **named)
        return await batch.execute(raise_on_error=False)

    async def _one_by_one(self) -> list[Any]:
        results = []
        for name, args, named in self._commands:
            batch = self._client.pipeline()
            getattr(batch, name)(*args, **named)
            results += await batch.execute(raise_on_error=False)
            if self._owner.between is not None:
                await self._owner.between(name)
        return results


class ReplyDroppingProxy:
    """A unix socket in front of a server's; drops the next reply and the connection when told to."""

    def __init__(self, path: str, server_path: str) -> None:
        self._path = path
        self._server_path = server_path
        self.drop_replies = 0
        self._server: asyncio.Server | None = None
        self._links: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "ReplyDroppingProxy":
        self._server = await asyncio.start_unix_server(self._link, self._path)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for link in self._links:
            link.cancel()
        await asyncio.gather(*self._links, return_exceptions=True)

    async def _link(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        up_reader, up_writer = await asyncio.open_unix_connection(self._server_path)
        try:
            await asyncio.wait(
                {
                    asyncio.ensure_future(self._forward(reader, up_writer)),
                    asyncio.ensure_future(self._answer(up_reader, writer)),
                },
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            up_writer.close()
            writer.close()
            self._links.discard(task)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self.drop_replies:
                self.drop_replies -= 1
                return
            writer.write(data)
            await writer.drain()
