"""A provider with a small window, and conversations that grow until they do not fit it."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from assistant.domain.errors import ProviderFailed
from assistant.domain.models import Delta, Finished, ModelRequest, Purpose
from assistant.domain.summary import Summary
from assistant.domain.tokens import tokens_of
from tests.support.local_provider import DONE, LocalProvider, said
from tests.support.opened import OWNER, Assistant, Sent

WINDOW = 8_192
ANSWER = "word " * 600
FITS = 5
"""So many exchanges fit beside one more question; the next does not."""

Summarise = Callable[[ModelRequest], AsyncGenerator[Delta | Finished]]


class Talking:
    """Answers at length, and summarises as told; `refuses_above` is what the model reads in fact."""

    def __init__(self, *, window: int | None = WINDOW, refuses_above: int | None = None) -> None:
        self.summarise: Summarise = self.numbered
        self.refuses_above = refuses_above
        self.gate = asyncio.Event()
        self.provider = LocalProvider(self._play, context_tokens=window)

    @property
    def answers(self) -> list[ModelRequest]:
        """The steps of answers that were asked for."""
        return [each for each in self.provider.requests if each.purpose is Purpose.ANSWER]

    @property
    def summaries(self) -> list[ModelRequest]:
        """The summaries that were asked for."""
        return [each for each in self.provider.requests if each.purpose is Purpose.SUMMARY]

    async def numbered(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        """A summary that is told from the others."""
        yield said(f"Summary {len(self.summaries)}.")
        yield DONE

    async def held(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        """A summary that is not whole until the gate opens."""
        async for event in self.held_at(self.gate)(request):
            yield event

    def held_at(self, gate: asyncio.Event) -> Summarise:
        """One that waits at a gate of its own."""

        async def held(_: ModelRequest) -> AsyncGenerator[Delta | Finished]:
            number = len(self.summaries)
            yield said(f"Summary {number}, ")
            await gate.wait()
            yield said("held.")
            yield DONE

        return held

    async def refused(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        """No summary at all."""
        raise ProviderFailed("model_content_filter", "The filter ended it.")
        yield DONE

    async def _play(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        if self.refuses_above is not None and tokens_of(request) > self.refuses_above:
            raise ProviderFailed("model_context_exceeded", "It is too long.")
        if request.purpose is Purpose.SUMMARY:
            async for event in self.summarise(request):
                yield event
            return
        yield said(ANSWER)
        yield DONE


def question(number: int) -> str:
    """The question of an exchange, to be found again in what the model is told."""
    return f"Question {number}: " + "x" * 270


async def talked(assistant: Assistant, exchanges: int) -> list[Sent]:
    """A session of so many exchanges, all answered."""
    sent = [await assistant.answered(question(1))]
    for number in range(2, exchanges + 1):
        sent.append(await assistant.answered(question(number), session_id=sent[0].session_id))
    return sent


def told(request: ModelRequest) -> list[str]:
    """The numbers of the questions that a model was told whole."""
    return [turn.text.split(":")[0] for turn in request.turns if turn.text.startswith("Question")]


async def summary_of(assistant: Assistant, session_id: str) -> Summary | None:
    """The summary that a restore shows."""
    return (await assistant.services.restoring.snapshot(OWNER, session_id)).summary
