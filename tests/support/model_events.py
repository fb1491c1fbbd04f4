"""Ask a model provider in a test, and look at what it answered."""

from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from assistant.domain.errors import ProviderFailed
from assistant.domain.message import Role
from assistant.domain.models import CallAsked, Delta, Finished, ModelRequest, Turn
from assistant.domain.transcript import PartKind
from assistant.models.demo import Demo
from assistant.models.openai_compatible import OpenAICompatible


@dataclass
class Heard:
    """All that came of one model step."""

    deltas: list[Delta] = field(default_factory=list)
    finished: Finished | None = None
    failure: ProviderFailed | None = None

    @property
    def text(self) -> str:
        return self._of(PartKind.TEXT)

    @property
    def reasoning(self) -> str:
        return self._of(PartKind.REASONING)

    @property
    def calls(self) -> tuple[CallAsked, ...]:
        """The calls that the step asks for; none also when it failed."""
        return () if self.finished is None else self.finished.calls

    @property
    def code(self) -> str | None:
        """The code of the failure, if it was one."""
        return None if self.failure is None else self.failure.code

    def _of(self, kind: PartKind) -> str:
        return "".join(delta.text for delta in self.deltas if delta.kind is kind)


class Naps:
    """Stands in for sleeping between two tries: notes how long, and goes on at once."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def asked(question: str = "Hello?", **given: Any) -> ModelRequest:
    """A request with one question; `given` are further fields of the request."""
    return ModelRequest((Turn(Role.USER, question),), **given)


async def hear(provider: Demo | OpenAICompatible, request: ModelRequest | None = None) -> Heard:
    """Read one step to its end; a failure is part of what was heard."""
    heard = Heard()
    try:
        async with aclosing(provider.stream(request or asked())) as events:
            async for event in events:
                assert heard.finished is None, "nothing comes after Finished"
                if isinstance(event, Finished):
                    heard.finished = event
                else:
                    heard.deltas.append(event)
    except ProviderFailed as failure:
        heard.failure = failure
    return heard
