"""A TCP line between a browser and the app on which the sockets that stand can be made slow, or cut.

    with SlowLine(app.port) as line:
        page.goto(line.url)
        line.slow_down(Way.TO_BROWSER, seconds=2)   # what goes this way on the open sockets comes later
        page.reload()                               # what is opened after that is as fast as ever
        line.fall_silent()                          # the open sockets carry nothing more, and do not close
        line.hold_back()                            # the same, but nothing is lost:
        line.let_go()                               # what was held back arrives after all, in order
        line.break_off()                            # the open sockets break; others can be opened
        line.cut()                                  # the open sockets break, and none opens any more
        line.go_dark()                              # no connection carries anything, and none closes
        line.mend()                                 # what is opened from now on carries again

Bytes that are on their way when one side closes still arrive, late, as in a network. It can also be a proxy
of two kinds: `idle_seconds` ends a socket on which the server was silent that long, `buffers` carries nothing
over a socket to the browser.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Self

from tests.support.eventually import eventually_sync

HOST = "127.0.0.1"


class Way(StrEnum):
    TO_BROWSER = "to the browser"
    TO_SERVER = "to the server"


class SlowLine:
    """Listens on loopback in a thread of its own."""

    def __init__(self, target_port: int, *, idle_seconds: float | None = None, buffers: bool = False) -> None:
        self.port = 0
        self._target_port = target_port
        self._idle_seconds = idle_seconds
        self._buffers = buffers
        self._is_cut = self._is_dark = False
        self._all: set[_Connection] = set()
        self.opened = 0
        """How many web sockets were opened through it."""
        self._sockets: set[_Connection] = set()
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="slow-line", daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def slow_down(self, way: Way, seconds: float) -> None:
        """From now on, the web sockets that are open now deliver this way so much later."""
        for connection in tuple(self._sockets):
            connection.delays[way] = seconds

    def fall_silent(self) -> None:
        """From now on, the web sockets that are open now are half-open: no byte and no end comes through."""
        for connection in tuple(self._sockets):
            connection.silent = True

    def hold_back(self) -> None:
        """From now on, what goes over the web sockets that are open now waits for `let_go`, ends included."""
        for connection in tuple(self._sockets):
            self._in_loop(connection.flowing.clear)

    def let_go(self) -> None:
        """Deliver what was held back, and return when it is."""
        held = tuple(self._sockets)
        for connection in held:
            self._in_loop(connection.flowing.set)
        eventually_sync(lambda: not any(connection.underway for connection in held))

    def go_dark(self) -> None:
        """From now on, no connection carries anything, the new ones neither, and none ends."""
        self._is_dark = True
        for connection in tuple(self._all):
            connection.silent = True

    def break_off(self) -> None:
        """Break the web sockets that are open; what was on its way is lost, both ways."""
        for connection in tuple(self._sockets):
            self._in_loop(connection.task.cancel)

    def cut(self) -> None:
        """Break the web sockets that are open, and refuse every connection until `mend`."""
        self._is_cut = True
        self.break_off()

    def mend(self) -> None:
        """Carry new connections again; those of a dark line stay silent."""
        self._is_cut = self._is_dark = False

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._closing is not None
        self._in_loop(self._closing.set)
        self._thread.join()

    def _in_loop(self, act: Callable[[], object]) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(act)

    async def _serve(self) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                await self._carry(task, reader, writer)
            except (OSError, asyncio.CancelledError):
                pass
            finally:
                tasks.discard(task)
                writer.transport.abort()

        server = await asyncio.start_server(connected, HOST, 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._closing.wait()
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry(
        self, task: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if self._is_cut:
            return
        far_reader, far_writer = await asyncio.open_connection(HOST, self._target_port)
        connection = _Connection(task, silent=self._is_dark)
        self._all.add(connection)
        try:
            await asyncio.gather(
                connection.pump(Way.TO_SERVER, reader, far_writer, self._noticed(connection)),
                connection.pump(Way.TO_BROWSER, far_reader, writer, _nothing),
            )
        finally:
            self._sockets.discard(connection)
            self._all.discard(connection)
            far_writer.transport.abort()

    def _noticed(self, connection: "_Connection") -> Callable[[bytes], None]:
        def notice(raw: bytes) -> None:
            if b"upgrade: websocket" in raw.lower():
                self._sockets.add(connection)
                self.opened += 1
                connection.idle_seconds = self._idle_seconds
                if self._buffers:
                    connection.flowing.clear()

        return notice


class _Connection:
    def __init__(self, task: asyncio.Task[None], *, silent: bool) -> None:
        self.task = task
        self.silent = silent
        self.idle_seconds: float | None = None
        """How long it may say nothing to the browser."""
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.underway = 0
        """Pieces that were taken and not given yet."""
        self.delays = {Way.TO_BROWSER: 0.0, Way.TO_SERVER: 0.0}

    async def pump(
        self,
        way: Way,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        notice: Callable[[bytes], None],
    ) -> None:
        """Carry bytes one way in order, each piece as late as the line was slow when it came."""
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def take() -> None:
            raw = b"open"
            while raw:
                idle_seconds = self.idle_seconds if way is Way.TO_BROWSER else None
                try:
                    raw = await asyncio.wait_for(reader.read(1 << 16), idle_seconds)
                except TimeoutError:
                    self.task.cancel()
                    return
                except OSError:
                    raw = b""
                notice(raw)
                if self.silent:
                    if not raw:
                        return
                    continue
                self.underway += 1
                pieces.put_nowait((loop.time() + self.delays[way], raw))

        async def give() -> None:
            while True:
                due, raw = await pieces.get()
                await asyncio.sleep(max(due - loop.time(), 0))
                await self.flowing.wait()
                with contextlib.suppress(OSError):
                    await _write(writer, raw)
                self.underway -= 1
                if not raw:
                    return

        await asyncio.gather(take(), give())


async def _write(writer: asyncio.StreamWriter, raw: bytes) -> None:
    if not raw:
        writer.close()
        return
    writer.write(raw)
    await writer.drain()


def _nothing(_: bytes) -> None:
    pass
