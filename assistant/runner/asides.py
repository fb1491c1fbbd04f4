"""Asides: model calls beside the answer, whose text nobody reads as it grows. A summary is one, and a title.

An aside is offered no tools, is told no parameters of the session, and ends at its own deadline. It is no
answer: it has no task, no log and no place in the session.
"""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from time import monotonic

import structlog

from assistant.domain.errors import ProviderFailed
from assistant.domain.message import Role
from assistant.domain.models import Delta, Finished, ModelRequest, Purpose, Turn
from assistant.domain.ports import Provider
from assistant.domain.tokens import THIRDS, clipped, thirds_in
from assistant.domain.transcript import PartKind, well_formed

MOST_ASIDES = 64
"""In one drive: what would take more of them is given up, so that no history costs without an end."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Allowance:
    """What one drive may ask aside, and what it has learnt about it."""

    left: int = MOST_ASIDES
    """So many asides more."""

    piece: int | None = None
    """At most so many tokens at once, since the model said that it does not read more."""


async def asked_aside(
    provider: Provider,
    purpose: Purpose,
    instructions: str,
    text: str,
    *,
    model: str | None,
    seconds: float,
    most_tokens: int,
) -> str:
    """What the model says to the text, cut where it takes more than so many tokens; its reasoning is passed
    over. Raises ProviderFailed, with `timeout` when it is not whole within `seconds`."""
    request = ModelRequest(
        turns=(Turn(Role.USER, text),), model=model, parameters={"system": instructions}, purpose=purpose
    )
    begun = monotonic()
    try:
        async with asyncio.timeout(seconds):
            said, usage = await _said(provider, request, most_tokens)
    except TimeoutError:
        words = f"The model was not done with a {purpose} within {seconds:g} s. Try again."
        raise ProviderFailed("model_timeout", words, timeout=True) from None
    took = round(monotonic() - begun, 1)
    _log.info("a model was asked aside", purpose=purpose.value, model=model, usage=usage, seconds=took)
    return clipped(well_formed(said).strip(), most_tokens)


async def _said(
    provider: Provider, request: ModelRequest, most_tokens: int
) -> tuple[str, dict[str, object] | None]:
    pieces: list[str] = []
    room = most_tokens * THIRDS
    async with aclosing(provider.stream(request)) as events:
        async for event in events:
            match event:
                case Delta(PartKind.TEXT, text):
                    pieces.append(text)
                    room -= thirds_in(text)
                    if room < 0:
                        break
                case Finished(usage=usage):
                    return "".join(pieces), usage
    return "".join(pieces), None
