"""The provider that needs no key: fixed answers, at a pace that can be read, the same each time.

The question's words choose the answer; `kept` text is gone on from exactly where it ends, so a lost
attempt of a demo answer is continued and never told apart from one that was not lost. Which step it is
follows from the steps that were taken already.
"""

import asyncio
import functools
import itertools
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass

from assistant.domain.message import Role
from assistant.domain.models import CallAsked, Delta, Finished, FinishReason, ModelRequest, Purpose
from assistant.domain.transcript import PartKind
from assistant.models import demo_texts
from assistant.models.demo_calls import demo_step
from assistant.models.demo_cues import with_cues

SECONDS_PER_CHUNK = 0.03
LONG_CHARACTERS = 20_000
LONGEST_CHARACTERS = 200_000

SUMMARY_LINES = 12

_CHUNK_SIZES = (3, 7, 5, 9, 4, 8)
"""Sizes of successive chunks of a short answer, in code points: uneven, as a model's are."""


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A whole step: what is thought and said, how much longer than usual its chunks are, and its calls."""

    reasoning: str
    text: str
    stretch: int = 1
    calls: tuple[CallAsked, ...] = ()


class Demo:
    """A provider with a few answers by heart.

    `seconds_per_chunk` is its pace, 0 for tests; `sleep` is there for tests too.
    """

    continues_prefix = True

    def __init__(
        self,
        *,
        seconds_per_chunk: float = SECONDS_PER_CHUNK,
        context_tokens: int | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.context_tokens = context_tokens
        self._seconds_per_chunk = seconds_per_chunk
        self._sleep = sleep

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        """The rest of the step after what was kept, chunk by chunk, then Finished."""
        answer = _answer(request)
        thought = len(answer.reasoning) if request.kept else len(request.kept_reasoning)
        pieces = itertools.chain(
            _chunks(PartKind.REASONING, answer.reasoning, thought, answer.stretch),
            _chunks(PartKind.TEXT, answer.text, len(request.kept), answer.stretch),
        )
        for delta in pieces:
            # Also at pace 0: whoever reads or stops is given a turn.
            await self._sleep(self._seconds_per_chunk)
            yield delta
        yield Finished(FinishReason.TOOL_CALLS if answer.calls else FinishReason.STOP, None, answer.calls)


def demo_answer(question: str) -> DemoAnswer:
    """The answer to a question that needs no tool, chosen by the first known word, in the order below."""
    words = set(re.findall(r"\w+(?:,\w+)*", question.lower()))
    if words & {"longest", "200,000", "200000"}:
        return DemoAnswer("", _long_text(LONGEST_CHARACTERS), stretch=32)
    if words & {"long", "longer", "20,000", "20000"}:
        return DemoAnswer("", _long_text(LONG_CHARACTERS), stretch=4)
    if words & {"reason", "reasoning", "think", "thinking"}:
        return DemoAnswer(demo_texts.REASONING, demo_texts.REASONED)
    if words & {"code", "python"}:
        return DemoAnswer("", demo_texts.CODE)
    if words & {"table", "tables"}:
        return DemoAnswer("", demo_texts.TABLE)
    if words & {"emoji", "emojis", "cjk", "unicode", "chinese", "japanese", "korean"}:
        return DemoAnswer("", demo_texts.CHARACTERS)
    return DemoAnswer("", demo_texts.WELCOME)


def _answer(request: ModelRequest) -> DemoAnswer:
    question = _question(request)
    if request.purpose is Purpose.SUMMARY:
        return DemoAnswer("", _summary(question))
    question = with_cues(question)
    if (step := demo_step(question, request.steps, request.tools)) is not None:
        text, calls = step
        return DemoAnswer("", text, calls=calls)
    return demo_answer(question)


def _question(request: ModelRequest) -> str:
    return next((turn.text for turn in reversed(request.turns) if turn.role is Role.USER), "")


def _summary(conversation: str) -> str:
    """What was asked, as far as it can be seen by its marks, in the order in which it was."""
    asked = [line.removeprefix("User: ")[:60] for line in conversation.splitlines() if line[:6] == "User: "]
    return demo_texts.SUMMARY + "".join(f"\n- {line}" for line in asked[-SUMMARY_LINES:])


def _chunks(kind: PartKind, text: str, start: int, stretch: int) -> Iterator[Delta]:
    """`text` from `start` on, cut where the whole text is always cut."""
    begin = 0
    for size in itertools.cycle(_CHUNK_SIZES):
        end = begin + size * stretch
        if end > start and (piece := text[max(begin, start) : end]):
            yield Delta(kind, piece)
        if end >= len(text):
            return
        begin = end


@functools.cache
def _long_text(characters: int) -> str:
    """Numbered sections, at least `characters` code points with the hint at the end."""
    sections = [demo_texts.LONG_OPENING]
    length = len(sections[0])
    sentences = itertools.cycle(demo_texts.LONG_SENTENCES)
    for number in itertools.count(1):
        body = " ".join(itertools.islice(sentences, 4))
        sections.append(f"## Section {number}\n\n{body}\n\n")
        length += len(sections[-1])
        if length >= characters:
            return "".join([*sections, demo_texts.CONNECT])
    raise AssertionError("the count has no end")
