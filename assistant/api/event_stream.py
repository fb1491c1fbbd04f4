"""One open stream: the response that tells a follower what happens until the task is closed."""

import logging
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from assistant.api.metrics import Metrics
from assistant.api.sse import MEDIA_TYPE, EventWriter, together
from assistant.bootstrap import Services
from assistant.domain.errors import AssistantError
from assistant.domain.frames import Cursor
from assistant.services.standing import Happening

_log = logging.getLogger(__name__)

HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


async def open_stream(
    services: Services, metrics: Metrics, owner_id: str, task_id: str, place: Cursor
) -> "EventStream":
    """The response to a follower; what refuses it is raised here, before any header is sent."""
    happenings = services.following.follow(owner_id, task_id, place)
    first = await anext(happenings)
    return EventStream(first, happenings, metrics, task_id)


class EventStream(StreamingResponse):
    """Events until the task is closed. An end without `closed` means: come back with your place."""

    def __init__(
        self, first: Happening, happenings: AsyncGenerator[Happening], metrics: Metrics, task_id: str
    ) -> None:
        self._happenings = happenings
        self._metrics = metrics
        self._body = _told(first, happenings, task_id)
        self._also = ExitStack()
        super().__init__(self._body, headers=HEADERS, media_type=MEDIA_TYPE)

    def closes(self, also: ExitStack) -> None:
        """Have this closed with the stream."""
        self._also = also

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A reader may go away before the first write, when the body was never begun.
        with self._also, self._metrics.open_stream():
            async with aclosing(self._happenings), aclosing(self._body):
                await super().__call__(scope, receive, send)


async def _told(first: Happening, happenings: AsyncGenerator[Happening], task_id: str) -> AsyncGenerator[str]:
    writer = EventWriter()
    try:
        async with aclosing(together(first, happenings)) as ready:
            async for batch in ready:
                yield "".join(writer.block(happening) for happening in batch)
    except AssistantError as error:
        _log.warning("a stream ended early: %s", error.message, extra={"task": task_id})
