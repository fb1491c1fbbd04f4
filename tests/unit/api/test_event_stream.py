"""One open stream: whatever becomes of its reader, what it followed is let go and its end is honest."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from assistant.api.event_stream import EventStream
from assistant.api.metrics import Metrics
from assistant.domain.errors import StoreUnavailable
from assistant.domain.frames import Frame
from assistant.services.standing import Beat, Happening
from tests.unit.api.asgi import Message


class Followed:
    """A follow that goes on until it is closed, or fails after its first piece."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.let_go = False
        self._failure = failure

    async def happenings(self) -> AsyncGenerator[Happening]:
        try:
            yield Beat()
            yield Frame(1, 0, "text")
            if self._failure:
                raise self._failure
            await asyncio.Event().wait()
        finally:
            self.let_go = True


class Reader:
    """The far side of a response: it takes messages until it stops taking, then it is gone."""

    def __init__(self, takes: int) -> None:
        self.messages: list[Message] = []
        self._takes = takes
        self._gone = asyncio.Event()
        if takes == 0:
            self._gone.set()

    async def receive(self) -> Message:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.messages.append(message)
        if len(self.messages) >= self._takes:
            self._gone.set()
            await asyncio.Event().wait()

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages)


async def respond(followed: Followed, reader: Reader, metrics: Metrics) -> None:
    happenings = followed.happenings()
    stream = EventStream(await anext(happenings), happenings, metrics, "t")
    await stream({"type": "http", "method": "GET"}, reader.receive, reader.send)


@pytest.mark.parametrize("takes", [0, 1, 2])
async def test_a_reader_that_leaves_or_stalls_at_any_point_leaves_nothing_behind(takes: int) -> None:
    """The follow is closed by then, not at some later garbage collection."""
    followed, metrics = Followed(), Metrics()

    await respond(followed, Reader(takes), metrics)

    assert followed.let_go
    assert "assistant_open_streams 0.0" in metrics.as_text().decode()


async def test_a_failure_of_the_world_ends_the_stream_without_saying_that_it_is_closed() -> None:
    """The reader comes back with its place."""
    followed, reader = Followed(StoreUnavailable()), Reader(takes=100)

    await respond(followed, reader, Metrics())

    assert b"event: text" in reader.body
    assert b"event: closed" not in reader.body
    assert reader.messages[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


async def test_a_defect_breaks_the_response_off() -> None:
    followed = Followed(RuntimeError("a defect"))

    with pytest.raises(RuntimeError):
        await respond(followed, Reader(takes=100), Metrics())

    assert followed.let_go
