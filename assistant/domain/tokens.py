"""How many tokens a text takes: an estimate without a tokenizer, rather too high than too low.

    three ASCII characters   1        any other character   1        one beyond the BMP (emoji)   2

Every model cuts its tokens in another way, and for most no list of them is at hand. English takes about four
characters a token and code three; Chinese, Japanese and Korean one a character in older models, and fewer in
newer ones. A provider that counts more says so, and is asked again with less.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable

from assistant.domain.models import ModelRequest, Step, Turn

THIRDS = 3
"""What is counted is thirds of a token, so that all sums are whole."""

MESSAGE_TOKENS = 8
"""What stands around a message, and around a call."""


def tokens_in(text: str) -> int:
    """The tokens of a text, at least."""
    return -(-thirds_in(text) // THIRDS)


def thirds_in(text: str) -> int:
    """The thirds of a token in a text: unlike tokens, those of pieces add up to those of the whole."""
    ascii_only = len(text.encode("ascii", "ignore"))
    beyond = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    return ascii_only + THIRDS * (len(text) - ascii_only + beyond)


def tokens_of_turn(turn: Turn) -> int:
    """The tokens of an earlier message with its calls and their results."""
    return MESSAGE_TOKENS + tokens_in(turn.text) + _of_steps(turn.steps)


def tokens_of(request: ModelRequest) -> int:
    """The tokens of all that a model is told in one step: instructions, tools, summary, turns, and what the
    answer has done and said so far."""
    told = [str(request.parameters.get("system") or ""), request.summary, request.kept]
    fixed = sum(MESSAGE_TOKENS + tokens_in(text) for text in told if text)
    tools = sum(
        MESSAGE_TOKENS + tokens_in(spec.name + spec.description + json.dumps(spec.schema))
        for spec in request.tools
    )
    return fixed + tools + sum(map(tokens_of_turn, request.turns)) + _of_steps(request.steps)


def clipped(text: str, most: int) -> str:
    """As much of the text's beginning as takes at most so many tokens; not empty, if that is two at least."""
    thirds = most * THIRDS
    near = text[:thirds]  # no character takes less than a third, so the rest of a huge text is not looked at
    if thirds_in(near) <= thirds:
        return near
    ends = range(len(near) + 1)
    return near[: bisect_right(ends, thirds, key=lambda end: thirds_in(near[:end])) - 1]


def _of_steps(steps: Iterable[Step]) -> int:
    return sum(
        MESSAGE_TOKENS
        + tokens_in(step.text)
        + sum(
            2 * MESSAGE_TOKENS + tokens_in(call.name + call.arguments) + tokens_in(call.result)
            for call in step.calls
        )
        for step in steps
    )
