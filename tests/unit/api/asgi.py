"""Small ASGI apps and a client for them, for tests of what stands between a server and the routes."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import httpx

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class Answering:
    """An app that notes the scope and the body of the last request, and answers the same to all."""

    def __init__(self, status: int = 200, content_type: str = "text/html; charset=utf-8") -> None:
        self.status = status
        self.content_type = content_type
        self.scope: Scope = {}
        self.body = b""
        self.asked = 0

    def header(self, name: str) -> str | None:
        """A request header as this app saw it."""
        return next((v.decode() for k, v in self.scope["headers"] if k == name.encode()), None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.body, more = scope, b"", True
        self.asked += 1
        while more:
            message = await receive()
            self.body += message.get("body", b"")
            more = message.get("more_body", False)
        headers = [(b"content-type", self.content_type.encode())] if self.content_type else []
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if self.status == 304 else b"answer"})


def client(app: AsgiApp, *, peer: str = "127.0.0.1", url: str = "http://app.test") -> httpx.AsyncClient:
    """A client whose connection comes from `peer`."""
    transport = httpx.ASGITransport(app=app, client=(peer, 40_000))
    return httpx.AsyncClient(transport=transport, base_url=url)
