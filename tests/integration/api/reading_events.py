"""A reader of a task's stream: it shows what it was told and knows where it stands, as a client has to."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import httpx
from httpx_sse import aconnect_sse

from assistant.domain.transcript import checksum


@dataclass
class Reader:
    """What one reader shows, and the ids and events that it was told, over any number of connections."""

    client: httpx.AsyncClient
    task_id: str
    text: str = ""
    attempt: int = 0
    last_id: str = ""
    end: dict[str, Any] | None = None
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def place(self) -> dict[str, int]:
        """The query that proves what is shown."""
        return {"offset": len(self.text), "attempt": self.attempt, "crc": checksum(self.text)}

    async def events(
        self, query: dict[str, int] | None = None, last_id: str | None = None
    ) -> AsyncGenerator[str]:
        """Connect, take every event, and give its name; closing the iterator cuts the line."""
        headers = {} if last_id is None else {"last-event-id": last_id}
        path = f"/api/tasks/{self.task_id}/stream"
        async with aconnect_sse(self.client, "GET", path, params=query, headers=headers) as source:
            source.response.raise_for_status()
            async for event in source.aiter_sse():
                self.last_id = event.id
                self._take(event.event, json.loads(event.data))
                yield event.event

    async def to_the_end(self, query: dict[str, int] | None = None, last_id: str | None = None) -> "Reader":
        """Read one connection until the server ends it."""
        async for _ in self.events(query, last_id):
            pass
        return self

    def _take(self, name: str, data: dict[str, Any]) -> None:
        self.told.append((name, data))
        if name == "text":
            if data["attempt"] > self.attempt:
                assert self.attempt >= data["after"] or not self.text, "not meant for what is shown"
                self.text, self.attempt = self.text[: data["base"]], data["attempt"]
            assert data["offset"] <= len(self.text), "a piece is missing"
            self.text += data["text"][len(self.text) - data["offset"] :]
            assert data["next"] == len(self.text)
        elif name == "replace":
            self.text, self.attempt = data["text"], data["attempt"]
        elif name == "closed":
            self.end = data

    def names(self) -> list[str]:
        return [name for name, _ in self.told]
