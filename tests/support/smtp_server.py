"""A mail server on the loopback interface that keeps what it is handed, and fails where a test says so."""

import asyncio
import email
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field


@dataclass
class SmtpServer:
    """`replies` answers a verb with another line; `hangs_up_after` is a verb, or `mail` for the mail itself,
    after which the server says nothing and closes; `silent_after` leaves the connection open instead;
    `waits_after` answers when `go_on` is set."""

    port: int = 0
    mails: list[bytes] = field(default_factory=list)
    verbs: list[str] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    hangs_up_after: str = ""
    silent_after: str = ""
    waits_after: str = ""
    go_on: threading.Event = field(default_factory=threading.Event)
    silent: asyncio.Event = field(default_factory=asyncio.Event)
    """It went silent."""

    left: asyncio.Event = field(default_factory=asyncio.Event)
    """The client closed the connection on which it was silent."""

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}?from=assistant@example.org"

    @property
    def message_ids(self) -> list[str]:
        """Of the mails that were handed in, each as often as it was."""
        return [str(email.message_from_bytes(each)["Message-ID"]) for each in self.mails]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(b"220 here\r\n")
            while line := await reader.readline():
                verb = line.split(maxsplit=1)[0].decode().upper()
                self.verbs.append(verb)
                if await self._ends(verb, reader):
                    return
                reply = self.replies.get(verb, {"DATA": "354 go on", "QUIT": "221 bye"}.get(verb, "250 fine"))
                writer.write(f"{reply}\r\n".encode())
                if verb == "DATA" and reply.startswith("354"):
                    self.mails.append(await reader.readuntil(b"\r\n.\r\n"))
                    if await self._ends("mail", reader):
                        return
                    writer.write(f"{self.replies.get('mail', '250 taken')}\r\n".encode())
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _ends(self, what: str, reader: asyncio.StreamReader) -> bool:
        if what == self.waits_after:
            await asyncio.to_thread(self.go_on.wait)
        if what == self.silent_after:
            self.silent.set()
            await reader.read()
            self.left.set()
            return True
        return what == self.hangs_up_after


@asynccontextmanager
async def smtp_server(port: int = 0) -> AsyncGenerator[SmtpServer]:
    """Run a server on this port, or on one of its own."""
    served = SmtpServer()
    server = await asyncio.start_server(served._serve, "127.0.0.1", port)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()


@contextmanager
def smtp_server_apart(port: int) -> Generator[SmtpServer]:
    """The same for a test without an event loop: in a thread of its own."""
    ready = threading.Event()
    opened: list[tuple[SmtpServer, asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        async with smtp_server(port) as served:
            closing = asyncio.Event()
            opened.append((served, asyncio.get_running_loop(), closing))
            ready.set()
            await closing.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="smtp", daemon=True)
    thread.start()
    assert ready.wait(timeout=5)
    served, loop, closing = opened[0]
    try:
        yield served
    finally:
        served.go_on.set()
        loop.call_soon_threadsafe(closing.set)
        thread.join()
