"""A provider inside the test's process: no line, no bytes, only events; for what has to be fast or exact."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from assistant.domain.models import Delta, Finished, FinishReason, ModelRequest
from assistant.domain.transcript import PartKind

Events = AsyncGenerator[Delta | Finished]
DONE = Finished(FinishReason.STOP)


def said(text: str) -> Delta:
    """A text delta."""
    return Delta(PartKind.TEXT, text)


def thought(text: str) -> Delta:
    """A reasoning delta."""
    return Delta(PartKind.REASONING, text)


async def turns(count: int) -> None:
    """Let everything else have its turn, `count` times: how a race is dealt its cards without a clock."""
    for _ in range(count):
        await asyncio.sleep(0)


class LocalProvider:
    """`Provider` and `Providers` in one; `play` answers each call.

    `requests` are the calls so far; `left` counts those that were closed before their end.
    """

    def __init__(
        self,
        play: Callable[[ModelRequest], Events],
        *,
        continues_prefix: bool = False,
        context_tokens: int | None = None,
    ) -> None:
        self.play = play
        self.context_tokens = context_tokens
        self.continues_prefix = continues_prefix
        self.requests: list[ModelRequest] = []
        self.left = 0

    def choose(self, model: str | None) -> "LocalProvider":
        """Itself, for every model."""
        return self

    def names(self) -> tuple[str, ...]:
        """The one model."""
        return ("local",)

    async def stream(self, request: ModelRequest) -> Events:
        """What `play` yields."""
        self.requests.append(request)
        whole = False
        try:
            async for event in self.play(request):
                whole = isinstance(event, Finished)
                yield event
        finally:
            self.left += not whole
