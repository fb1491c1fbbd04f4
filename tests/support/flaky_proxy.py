"""A proxy for short HTTP calls that loses, repeats and delays them, as networks and retry layers do.

    async with FlakyProxy(app.url, [Fate.REPLY_LOST, Fate.TWICE]) as proxy:
        await client.elsewhere(proxy.url).post("Hello?", key="k")

The fates are dealt to the calls in order, over and over.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Sequence
from enum import StrEnum
from types import TracebackType
from typing import Self

import httpx

from tests.support.llm_wire import Request, read_request

LATE_SECONDS = 0.05
UNSENT = frozenset({"host", "content-length", "connection", "accept-encoding"})


class Fate(StrEnum):
    PASSES = "passes"
    """Request and reply arrive."""

    REPLY_LOST = "reply lost"
    """The request arrives and is carried out; the client sees its line break."""

    REQUEST_LOST = "request lost"
    """Nothing arrives; the client sees its line break."""

    TWICE = "twice"
    """The request arrives twice, side by side; the client gets the reply that comes last."""

    LATE = "late"
    """The request arrives a moment later than others of its time."""


class FlakyProxy:
    """Listens on loopback; `met` counts the calls that it was given."""

    def __init__(self, target: str, fates: Sequence[Fate]) -> None:
        self.met = 0
        self.url = ""
        self._target = target
        self._fates = itertools.cycle(fates)
        self._client = httpx.AsyncClient(timeout=15, limits=httpx.Limits(max_connections=None))
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self._client.aclose()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError):
                request = await read_request(reader, b"")
                if request is not None:
                    self.met += 1
                    await self._deal(request, next(self._fates), writer)
        finally:
            writer.close()

    async def _deal(self, request: Request, fate: Fate, writer: asyncio.StreamWriter) -> None:
        if fate is Fate.REQUEST_LOST:
            return
        if fate is Fate.LATE:
            await asyncio.sleep(LATE_SECONDS)
        replies = await asyncio.gather(*(self._forward(request) for _ in range(1 + (fate is Fate.TWICE))))
        if fate is not Fate.REPLY_LOST:
            await _write(replies[-1], writer)

    async def _forward(self, request: Request) -> httpx.Response:
        headers = {name: value for name, value in request.headers.items() if name not in UNSENT}
        url = f"{self._target}{request.path}"
        return await self._client.request(request.method, url, json=request.body, headers=headers)


async def _write(reply: httpx.Response, writer: asyncio.StreamWriter) -> None:
    lines = [
        f"HTTP/1.1 {reply.status_code} Proxied",
        f"Content-Type: {reply.headers.get('content-type', '')}",
        f"Content-Length: {len(reply.content)}",
        "Connection: close",
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode() + reply.content)
    await writer.drain()
