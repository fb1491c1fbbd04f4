"""What a provider is asked and what it answers, in the words of this product."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from assistant.domain.message import Role
from assistant.domain.transcript import PartKind


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message as the provider is told it: the text parts only, no reasoning."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model step.

    `turns` is the branch up to and with the question. `kept` is text of this very answer that exists
    already and is to be continued exactly where it ends, `kept_reasoning` the reasoning before it;
    both are empty for a fresh answer.
    """

    turns: tuple[Turn, ...]
    kept: str = ""
    kept_reasoning: str = ""
    model: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)


class FinishReason(StrEnum):
    STOP = "stop"
    """The answer is whole."""

    LENGTH = "length"
    """The provider's length limit was reached."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer, as raw as the provider sent it: it may hold half a surrogate pair."""

    kind: PartKind
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The provider's own end of the answer; always the last event of a good stream."""

    reason: FinishReason
    usage: dict[str, Any] | None = None
