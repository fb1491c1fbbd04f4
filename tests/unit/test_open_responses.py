"""Responses still being written are ended, properly, when the server goes down."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from assistant.api.open_responses import OpenResponses


class Client:
    """One request and what came back."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.first_piece = asyncio.Event()
        self._asked = False

    async def receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def send(self, message: Any) -> None:
        self.messages.append(message)
        if message.get("body"):
            self.first_piece.set()


async def test_a_stream_that_would_go_on_for_ever_gets_its_end_and_runs_its_cleanup() -> None:
    cleaned = asyncio.Event()

    async def endless() -> AsyncIterator[str]:
        try:
            yield "data: 1\n\n"
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    async def stream(request: Request) -> StreamingResponse:
        return StreamingResponse(endless(), media_type="text/event-stream")

    responses = OpenResponses()
    app = responses.watch(Starlette(routes=[Route("/", stream)]))
    client = Client()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": [],
    }
    request = asyncio.ensure_future(app(scope, client.receive, client.send))
    await client.first_piece.wait()

    responses.end()
    await asyncio.wait_for(request, 5)

    assert cleaned.is_set()
    assert client.messages[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
