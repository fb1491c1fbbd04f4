"""A provider whose steps ask for calls: which step it is, it sees from the results that it is told."""

import asyncio
from collections.abc import AsyncGenerator

from assistant.domain.models import CallAsked, Delta, Finished, FinishReason, ModelRequest
from tests.support.local_provider import DONE, LocalProvider, said

Step = tuple[Delta | Finished | asyncio.Event, ...]


def asks(*calls: str | CallAsked) -> Finished:
    """The end of a step that asks for calls: by the name alone, without arguments."""
    asked = tuple(CallAsked(call, "{}") if isinstance(call, str) else call for call in calls)
    return Finished(FinishReason.TOOL_CALLS, calls=asked)


def steps(*script: Step, continues_prefix: bool = True) -> LocalProvider:
    """A provider that plays one step after the other; it waits at an event. The last one is played again
    for whatever comes after it."""

    async def play(request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        for event in script[min(len(request.steps), len(script) - 1)]:
            if isinstance(event, asyncio.Event):
                await event.wait()
            else:
                yield event

    return LocalProvider(play, continues_prefix=continues_prefix)


def one_step_of(*calls: str | CallAsked) -> LocalProvider:
    """Says a little, asks for these calls side by side, and ends with a little more."""
    return steps((said("First. "), asks(*calls)), (said("Then."), DONE))
