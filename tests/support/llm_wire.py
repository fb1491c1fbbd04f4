"""The scripted provider's HTTP/1.1: one request read, one answer written, chunk by chunk."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from tests.support.llm_script import Script


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


async def read_request(reader: asyncio.StreamReader, ahead: bytes) -> Request | None:
    try:
        head = ahead + await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, json.loads(raw) if raw else {})


class Answer:
    """One HTTP/1.1 answer; every piece of the body is a chunk of its own, so that cuts are real."""

    def __init__(self, writer: asyncio.StreamWriter, script: Script) -> None:
        self._writer = writer
        self._script = script
        self.opened = False
        self._waiting = b""
        self._written = 0

    async def open(self) -> None:
        """Send status 200 and the headers, once."""
        if not self.opened:
            self.opened = True
            await self.head(
                200,
                b"Content-Type: text/event-stream; charset=utf-8\r\n"
                b"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n",
            )

    async def head(self, status: int, raw: bytes) -> None:
        """Send the status line, then headers and whatever follows them."""
        await self._write(b"HTTP/1.1 %d Scripted\r\n%b" % (status, raw))

    async def event(self, lines: str) -> None:
        """Send one SSE block, given with LF line ends."""
        await self.body(lines.replace("\n", self._script.line_end).encode())

    async def body(self, raw: bytes) -> None:
        """Send bytes of the body, at once or, where cuts are asked for, up to the last cut reached."""
        await self.open()
        if self._script.cuts is None:
            await self._chunk(raw)
            return
        self._waiting += raw
        for cut in self._script.cuts:
            if self._written < cut <= self._written + len(self._waiting):
                await self._send(cut - self._written)

    async def said(self, text: str) -> None:
        """Nothing is noted for an answer without a call."""

    async def flush(self) -> None:
        """Send what a cut position is still holding back."""
        if self._waiting:
            await self._send(len(self._waiting))

    async def end(self) -> None:
        """End the body properly."""
        await self.open()
        await self.flush()
        await self._write(b"0\r\n\r\n")

    async def refuse(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        """Send a whole answer that is no stream."""
        named = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        await self.head(status, f"{lines}\r\n".encode() + body)

    def cut(self) -> None:
        """Close the connection wherever the body stands; what was written before still arrives."""
        self._writer.close()

    async def _send(self, size: int) -> None:
        piece, self._waiting = self._waiting[:size], self._waiting[size:]
        self._written += size
        await self._chunk(piece)

    async def _chunk(self, raw: bytes) -> None:
        if raw:
            await self._write(b"%x\r\n%b\r\n" % (len(raw), raw))

    async def _write(self, raw: bytes) -> None:
        self._writer.write(raw)
        await self._writer.drain()
