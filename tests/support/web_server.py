"""A web server on the loopback interface that answers each path with the very bytes that a test gives."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class WebServer:
    """`pages` maps a path to a whole HTTP answer; a path in `endless` sends its answer and never ends."""

    port: int = 0
    pages: dict[str, bytes] = field(default_factory=dict)
    endless: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    """Each request as it came: host and path."""

    connections: int = 0

    def url(self, path: str, host: str = "site.test") -> str:
        return f"http://{host}:{self.port}{path}"

    def page(
        self, path: str, body: bytes | str, content_type: str = "text/html; charset=utf-8", *headers: str
    ) -> str:
        """Serve a body and return its URL."""
        body = body.encode() if isinstance(body, str) else body
        lines = ["HTTP/1.1 200 OK", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers]
        self.pages[path] = "\r\n".join([*lines, "", ""]).encode() + body
        return self.url(path)

    def redirect(self, path: str, to: str) -> str:
        """Serve a redirect and return its URL."""
        self.pages[path] = f"HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode()
        return self.url(path)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            path = head.split(" ", 2)[1]
            host = next(line[6:] for line in head.split("\r\n") if line.lower().startswith("host: "))
            self.asked.append(f"{host.partition(':')[0]}{path}")
            writer.write(self.pages.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
            await writer.drain()
            if path in self.endless:
                await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def web_server() -> AsyncGenerator[WebServer]:
    """Run a server on a port of its own."""
    served = WebServer()
    server = await asyncio.start_server(served._serve, "127.0.0.1", 0)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
