"""HTTP/1.1 by hand over one loopback connection: so thin that what is measured is the server."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event; `at` is `time.monotonic()` when its bytes had arrived."""

    name: str
    id: str
    raw: bytes
    at: float

    @property
    def data(self) -> dict[str, Any]:
        """What it carries."""
        return json.loads(self.raw)


@dataclass(frozen=True, slots=True)
class Answered:
    """A whole answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """The JSON of its body."""
        return json.loads(self.body)


class Line:
    """One connection. `sent_at` is when the last request was handed to the kernel, `answered_at` when
    its whole answer was there."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self._port = port
        self._headers = headers
        self.sent_at = 0.0
        self.answered_at = 0.0

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(HOST, self._port, limit=1 << 22)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def call(
        self, method: str, target: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answered:
        """One request and its whole answer; the connection stays open."""
        self._send(method, target, body, headers or {})
        status, found = await self._head()
        body = b"".join([chunk async for chunk in self._chunks(found)])
        self.answered_at = time.monotonic()
        return Answered(status, found, body)

    async def events(self, target: str, headers: Mapping[str, str] | None = None) -> AsyncGenerator[Event]:
        """The events of a stream, as they arrive, until the server ends it."""
        self._send("GET", target, None, {"Accept": "text/event-stream", **(headers or {})})
        status, found = await self._head()
        if status != 200:
            body = b"".join([chunk async for chunk in self._chunks(found)])
            raise RuntimeError(f"{target}: {status} {body[:300]!r}")
        waiting = b""
        async for chunk in self._chunks(found):
            at = time.monotonic()
            *blocks, waiting = (waiting + chunk).split(b"\n\n")
            for block in blocks:
                yield _event(block, at)

    def _send(self, method: str, target: str, body: object, headers: Mapping[str, str]) -> None:
        raw = b"" if body is None else json.dumps(body).encode()
        told = {"Host": f"{HOST}:{self._port}", **self._headers, **headers}
        if raw:
            told |= {"Content-Type": "application/json", "Content-Length": str(len(raw))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        self.sent_at = time.monotonic()
        self._writer.write(f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode() + raw)

    async def _head(self) -> tuple[int, dict[str, str]]:
        raw = await self._reader.readuntil(b"\r\n\r\n")
        first, *lines = raw.decode("latin-1").strip().split("\r\n")
        pairs = (line.partition(":") for line in lines)
        return int(first.split()[1]), {name.lower(): value.strip() for name, _, value in pairs}

    async def _chunks(self, headers: Mapping[str, str]) -> AsyncGenerator[bytes]:
        if "content-length" in headers:
            yield await self._reader.readexactly(int(headers["content-length"]))
            return
        while size := int(await self._reader.readuntil(b"\r\n"), 16):
            yield (await self._reader.readexactly(size + 2))[:-2]
        await self._reader.readuntil(b"\r\n")


@asynccontextmanager
async def line(port: int, headers: Mapping[str, str]) -> AsyncGenerator[Line]:
    """A new connection that sends `headers` with every request."""
    async with Line(port, headers) as opened:
        yield opened


def _event(block: bytes, at: float) -> Event:
    fields: dict[str, bytes] = {}
    for row in block.split(b"\n"):
        name, _, value = row.partition(b": ")
        fields[name.decode()] = value
    return Event(
        fields.get("event", b"message").decode(),
        fields.get("id", b"").decode(),
        fields.get("data", b"{}"),
        at,
    )
