"""The edge of the API: what holds for every call before a route sees it, and after it answered.

    origin of a change -> size of the body -> route -> status counted, headers that hold for all

The page behind the API is not touched.
"""

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from fastapi.responses import Response

from assistant.api.errors import ForbiddenOrigin, TooLarge, problem, unexpected
from assistant.api.metrics import Metrics
from assistant.api.origins import may_connect
from assistant.api.peers import header, is_https

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY_BYTES = 2 << 20
"""The longest message, written as ASCII with escapes, and room to spare."""

MAX_FILE_BYTES = 16 << 20
"""An exported session that comes back."""

FILES = frozenset({"/api/sessions/import"})
"""The addresses that take a file."""

_READING = ("GET", "HEAD", "OPTIONS")
_METHODS = (*_READING, "POST", "PUT", "PATCH", "DELETE")


def is_api(path: str) -> bool:
    """Whether a path is ours to answer; the page answers the others."""
    return path.startswith("/api/") or path in ("/api", "/health", "/metrics")


class Edge:
    """ASGI middleware around the routes."""

    def __init__(
        self, app: AsgiApp, metrics: Metrics, allowed_origins: Collection[str], two_port_dev: bool
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._allowed = allowed_origins
        self._two_port_dev = two_port_dev

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_api(scope["path"]):
            await self._app(scope, receive, send)
            return
        answer = _Answer(receive, send, head=scope["method"] == "HEAD")
        method = scope["method"]
        # A read without a body is the same read.
        scope = {**scope, "method": "GET"} if answer.head else scope
        try:
            await self._through(scope, answer)
        except Exception as error:
            response = unexpected(error, scope["path"])
            if answer.status is not None:
                raise  # the server cuts the connection: nobody takes a part for the whole
            await response(scope, receive, answer.send)
        finally:
            if answer.status is not None:
                route = getattr(scope.get("route"), "path", "other")
                self._metrics.answered(method if method in _METHODS else "other", route, answer.status)

    async def _through(self, scope: Scope, answer: "_Answer") -> None:
        refusal = self._refusal(scope)
        body = None
        if refusal is None and scope["method"] not in _READING:
            body = await _whole(answer.receive, _most_bytes(scope))
            refusal = problem(TooLarge()) if body is None else None
        if refusal is not None:
            await refusal(scope, answer.receive, answer.send)
        elif body is None:
            await self._app(scope, answer.receive, answer.send)
        else:
            await self._app(scope, _again(body, answer.receive), answer.send)

    def _refusal(self, scope: Scope) -> Response | None:
        if scope["method"] in _READING:
            return None
        if not may_connect(
            header(scope, "origin"),
            header(scope, "host"),
            allowed=self._allowed,
            two_port_dev=self._two_port_dev,
            by_https=is_https(scope),
            site=header(scope, "sec-fetch-site"),
        ):
            return problem(ForbiddenOrigin())
        length = header(scope, "content-length") or ""
        too_large = length.isdigit() and int(length) > _most_bytes(scope)
        return problem(TooLarge()) if too_large else None


class _Answer:
    """One request's channel: notes the status, adds the headers of all, drops the body of HEAD."""

    def __init__(self, receive: Receive, send: Send, *, head: bool) -> None:
        self.head = head
        self.status: int | None = None
        self._receive = receive
        self._send = send

    async def receive(self) -> Message:
        if self.head and self.status is not None:
            return {"type": "http.disconnect"}
        return await self._receive()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            await self._send({**message, "headers": _with_ours(message.get("headers", []))})
            if self.head:
                await self._send({"type": "http.response.body", "body": b""})
        elif not self.head:
            await self._send(message)


def _with_ours(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    ours = {b"x-content-type-options": b"nosniff", b"cache-control": b"no-store"}
    present = {name.lower() for name, _ in headers}
    return [*headers, *((name, value) for name, value in ours.items() if name not in present)]


def _most_bytes(scope: Scope) -> int:
    return MAX_FILE_BYTES if scope["path"] in FILES else MAX_BODY_BYTES


async def _whole(receive: Receive, most_bytes: int) -> bytes | None:
    """The whole body, however it was cut; None once it is too large. A reader that left sent nothing."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > most_bytes:
            return None
        if not message.get("more_body", False):
            return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """A receive that gives the body in one piece, then what the connection says."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
