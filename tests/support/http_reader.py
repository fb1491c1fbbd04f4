"""A reader of one answer over HTTP, as a page is: keeps its text by the rules of `domain.frames`.

reader = HttpReader(client, task_id)
await reader.follow(cut_after=700)       # the line is cut after 700 bytes, wherever that is
await reader.to_the_end()                # resumes from what it shows, as often as it takes
"""

import asyncio
import codecs
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, NamedTuple

import httpx

from assistant.domain.frames import Frame, Missed, Shown, receive
from assistant.domain.transcript import PartKind, checksum
from tests.support.eventually import POLL_SECONDS, eventually


class ServerEvent(NamedTuple):
    """One event of the stream, its data as JSON."""

    name: str
    id: str | None
    data: dict[str, Any]


class HttpReader:
    """What one reader shows of a task, over as many connections as it takes.

    `client` has the owner's cookie and the base URL. `taken_back` tells whether shown text was ever cut
    or replaced by other text.
    """

    def __init__(self, client: httpx.AsyncClient, task_id: str) -> None:
        self.client = client
        self.task_id = task_id
        self.shown = Shown()
        self.events: list[ServerEvent] = []
        self.connections = 0
        self.received = 0
        """Code points of text that were sent to it, over all connections."""
        self.taken_back = False
        self.broken = 0
        """Connections that ended without a proper end of the response."""

    @property
    def text(self) -> str:
        """What it shows."""
        return self.shown.text

    @property
    def closed(self) -> dict[str, Any] | None:
        """The data of the end, once it was told."""
        last = self.events[-1] if self.events else None
        return last.data if last is not None and last.name == "closed" else None

    @property
    def cursor(self) -> dict[str, int]:
        """Where it resumes, with the proof of what it shows."""
        return {
            "offset": len(self.text),
            "attempt": self.shown.attempt,
            "crc": checksum(self.text),
        }

    def named(self, name: str) -> list[dict[str, Any]]:
        """The data of all events of one name so far."""
        return [event.data for event in self.events if event.name == name]

    async def follow(
        self, *, cut_after: int | None = None, until: Callable[[], bool] = lambda: False
    ) -> None:
        """One connection: until its end, until `until` says so, or cut after so many bytes of its body.

        Raises httpx.TransportError when the line breaks or nobody listens.
        """
        assert self.closed is None, "followed on after the end"
        path = f"/api/tasks/{self.task_id}/stream"
        async with self.client.stream("GET", path, params=self.cursor, timeout=30) as response:
            response.raise_for_status()
            self.connections += 1
            async with aclosing(_events(response, cut_after)) as events:
                async for event in events:
                    if not self._take(event):
                        return
                    if until():
                        return

    async def to_the_end(self, within: float = 15.0) -> dict[str, Any]:
        """Follow until closed, over as many connections as it takes; the data of the end."""
        async with asyncio.timeout(within):
            while self.closed is None:
                try:
                    await self.follow()
                except httpx.ConnectError:
                    await asyncio.sleep(POLL_SECONDS)
                except (httpx.TransportError, httpx.HTTPStatusError):
                    self.broken += 1
                    await asyncio.sleep(POLL_SECONDS)
        assert self.closed is not None
        return self.closed

    async def to(self, text: str, within: float = 10.0) -> None:
        """Follow, over as many connections as it takes, until it shows `text`; then leave."""
        async with asyncio.timeout(within):
            while self.text != text:
                await self.follow(until=lambda: self.text == text)

    async def shows(self, text: str, within: float = 5.0) -> None:
        """Wait until it shows exactly this, while it follows elsewhere."""
        await eventually(lambda: self.text == text, within, every=0.005)

    async def reaches(self, offset: int, within: float = 5.0) -> None:
        """Wait until it shows so many code points, while it follows elsewhere."""
        await eventually(lambda: len(self.text) >= offset, within, every=0.002)

    def _take(self, event: ServerEvent) -> bool:
        """False when the reader has to resume."""
        self.events.append(event)
        before = self.text
        match event.name:
            case "text":
                self.received += len(event.data["text"])
                taken = receive(self.shown, _frame(event.data))
                if isinstance(taken, Missed):
                    return False
                self.shown = taken
            case "replace":
                self.received += len(event.data["text"])
                self.shown = Shown(event.data["attempt"], event.data["text"])
        if event.name in ("text", "replace"):
            assert event.id == f"{event.data['attempt']}.{event.data['next']}"
        self.taken_back = self.taken_back or not self.text.startswith(before)
        return True


async def _events(response: httpx.Response, cut_after: int | None) -> AsyncGenerator[ServerEvent]:
    """The whole events of the body; what the cut leaves of another one is never seen."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    waiting, left = "", cut_after
    async for raw in response.aiter_raw():
        whole = left is None or len(raw) < left
        waiting += decoder.decode(raw if whole else raw[:left])
        *blocks, waiting = waiting.split("\n\n")
        for block in blocks:
            yield _event(block)
        if not whole:
            return
        left = None if left is None else left - len(raw)


def _event(block: str) -> ServerEvent:
    fields = dict(line.split(": ", 1) for line in block.split("\n"))
    return ServerEvent(fields["event"], fields.get("id"), json.loads(fields["data"]))


def _frame(data: dict[str, Any]) -> Frame:
    return Frame(
        data["attempt"],
        data["offset"],
        data["text"],
        PartKind(data["kind"]),
        data["base"],
        data.get("after", 0),
    )
