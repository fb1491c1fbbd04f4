"""End the responses that are still being written, so that a server can stop at once.

A reader of a stream holds its response open for minutes. When the server goes down the reader is
told so by a proper end of the response, after which it comes back with the offset it has.
"""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class OpenResponses:
    """The HTTP requests in progress of the apps that ``watch`` wraps; ``end`` ends them."""

    def __init__(self) -> None:
        self._ending = asyncio.Event()

    def watch(self, app: AsgiApp) -> AsgiApp:
        """Return ``app`` with its responses ended by ``end``."""

        async def watched(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            response = _Response(receive, send, self._ending)
            await app(scope, response.receive, response.send)
            await response.finish()

        return watched

    def end(self) -> None:
        """Tell every request in progress, and every later one, that its client is gone.

        A streaming response stops at that; a short one is finished before it would ask.
        """
        self._ending.set()


class _Response:
    """One request: what the app receives and sends, and whether the answer was ended."""

    def __init__(self, receive: Receive, send: Send, ending: asyncio.Event) -> None:
        self._receive = receive
        self._send = send
        self._ending = ending
        self._whole_request_read = False
        self._open = False

    async def receive(self) -> Message:
        if not self._whole_request_read:
            message = await self._receive()
            self._whole_request_read = not message.get("more_body", False)
            return message
        return await self._disconnected()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._open = True
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self._open = False
        await self._send(message)

    async def finish(self) -> None:
        if self._open and self._ending.is_set():
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _disconnected(self) -> Message:
        client = asyncio.ensure_future(self._receive())
        server = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait((client, server), return_when=asyncio.FIRST_COMPLETED)
            return client.result() if client.done() else {"type": "http.disconnect"}
        finally:
            client.cancel()
            server.cancel()
