"""Server-sent events of a task's stream: the frames on the wire, and which of them go out together.

    id: <attempt>.<next>      on text, replace and closed alone: the others never move a reader's place
    event: text
    data: {one line of JSON}

A line of SSE ends at CR or LF alone, and JSON escapes both, so any text round-trips (Case B036).
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from assistant.api import wire
from assistant.domain.frames import Frame, Replace
from assistant.services.standing import Beat, Closed, GapSeen, Happening, StateSeen

MEDIA_TYPE = "text/event-stream; charset=utf-8"
TOGETHER = 64
"""Happenings that go out in one write at most."""


class EventWriter:
    """Writes the happenings of one follow, in order."""

    def __init__(self) -> None:
        self._attempt = 0

    def block(self, happening: Happening) -> str:
        """The event block of a happening, with the empty line that ends it."""
        match happening:
            case Frame():
                data = {
                    "attempt": happening.attempt,
                    "offset": happening.offset,
                    "text": happening.text,
                    "next": happening.next,
                    "kind": happening.kind.value,
                    "base": happening.base,
                    "after": happening.after,
                }
                return _block("text", _json(data), f"{happening.attempt}.{happening.next}")
            case Replace():
                transcript = happening.transcript
                data = {
                    "attempt": happening.attempt,
                    "offset": 0,
                    "text": transcript.text,
                    "next": happening.next,
                    "parts": [part.as_json() for part in transcript.parts],
                }
                return _block("replace", _json(data), f"{happening.attempt}.{happening.next}")
            case StateSeen():
                self._attempt = happening.task.attempt
                return _block("state", wire.task_of(happening.task).model_dump_json())
            case GapSeen():
                return _block("gap", _json({"from": happening.start, "to": happening.to}))
            case Closed():
                # The state before it was the terminal one: its attempt is that of the stored text.
                data = {
                    "state": happening.state,
                    "reason": happening.reason,
                    "offset": happening.offset,
                    "attempt": self._attempt,
                }
                return _block("closed", _json(data), f"{self._attempt}.{happening.offset}")
            case Beat():
                return _block("beat", "{}")


async def together(first: Happening, rest: AsyncIterator[Happening]) -> AsyncGenerator[list[Happening]]:
    """The happenings in order, those that are there without waiting in one list.

    So the state and the text of a resume leave in one write. Close the generator when done early;
    `rest` is then no longer in use and may be closed.
    """
    ready = [first]
    step: asyncio.Future[Happening | None] | None = None
    try:
        while True:
            step = asyncio.ensure_future(anext(rest, None))
            await asyncio.sleep(0)  # one turn of the loop: what need not wait is there after it
            if ready and (not step.done() or step.exception() or len(ready) >= TOGETHER):
                yield ready
                ready = []
            happening = await step
            if happening is None:
                break
            ready.append(happening)
    finally:
        if step is not None and not step.done():
            step.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await step
    if ready:
        yield ready


def _block(event: str, data: str, id: str | None = None) -> str:
    place = f"id: {id}\n" if id is not None else ""
    return f"{place}event: {event}\ndata: {data}\n\n"


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
