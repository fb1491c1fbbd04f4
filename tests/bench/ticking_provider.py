"""An OpenAI-shaped provider that says what time it is, many times a second, in a process of its own.

Each delta is `time.monotonic_ns()` in exactly `STAMP` characters, so whoever reads the answer knows how
long it was under way. By hand: `python -m tests.bench.ticking_provider --port 9000`.
"""

import argparse
import asyncio
import contextlib
import random
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.thin_client import HOST
from tests.support.eventually import eventually_sync
from tests.support.llm_wire import read_request
from tests.support.ports import free_port

STAMP = 20
ROOT = Path(__file__).parents[2]

_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
)
_BEFORE = (
    b'data: {"id":"chatcmpl-ticking","object":"chat.completion.chunk","model":"scripted",'
    b'"choices":[{"index":0,"delta":'
)
_TICK = _BEFORE + b'{"content":"%019d "},"finish_reason":null}]}\n\n'
_END = _BEFORE + b'{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@contextmanager
def ticking(events_a_second: float, seconds: float) -> Generator[str]:
    """Start it; yields the base URL to configure."""
    port = free_port()
    flags = {"--port": port, "--rate": events_a_second, "--seconds": seconds}
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, *(str(word) for pair in flags.items() for word in pair)], cwd=ROOT
    )
    try:
        eventually_sync(lambda: _listens(port), within=30)
        yield f"http://{HOST}:{port}/v1"
    finally:
        process.kill()
        process.wait()


async def serve(port: int, rate: float, seconds: float) -> None:
    """Answer every call with `rate` deltas a second for so many seconds."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while await read_request(reader, b""):
                await _tick(writer, 1 / rate, round(rate * seconds))
        writer.close()

    server = await asyncio.start_server(converse, HOST, port, backlog=1000)
    await server.serve_forever()


async def _tick(writer: asyncio.StreamWriter, pause: float, count: int) -> None:
    writer.write(_HEAD)
    begin = time.monotonic() + random.random() * pause
    for number in range(count):
        await asyncio.sleep(begin + number * pause - time.monotonic())
        _write(writer, _TICK % time.monotonic_ns())
        await writer.drain()
    _write(writer, _END)
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _write(writer: asyncio.StreamWriter, raw: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(raw), raw))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--seconds", type=float, default=10)
    chosen = parser.parse_args()
    asyncio.run(serve(chosen.port, chosen.rate, chosen.seconds))


if __name__ == "__main__":
    main()
