"""What a provider is asked and what it answers, in the words of this product."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from assistant.domain.message import Role
from assistant.domain.tools import ToolSpec
from assistant.domain.transcript import PartKind


@dataclass(frozen=True, slots=True)
class CallTurn:
    """One call of an earlier step, of this answer or an earlier one, with the result the model is told.

    `id` pairs the call with its result, unique within one request; `arguments` is JSON text.
    """

    id: str
    name: str
    arguments: str
    result: str


@dataclass(frozen=True, slots=True)
class Step:
    """One earlier model step: what it said, then the calls that it asked for, in order."""

    text: str
    calls: tuple[CallTurn, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message as the provider is told it: the text parts only, no reasoning.

    `steps` of an assistant turn come before `text`, in order: `text` is what follows the last call.
    """

    role: Role
    text: str
    steps: tuple[Step, ...] = ()


class Purpose(StrEnum):
    ANSWER = "answer"
    """A step of an answer, read as it grows."""

    SUMMARY = "summary"
    """A summary of earlier messages."""

    TITLE = "title"
    """A title for a session."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model step.

    `turns` is the branch up to and with the question, `steps` what this very answer has done already.
    `summary` stands for what was said before the first of `turns`, which is then a user's.
    `kept` is text of it after those steps that is to be continued exactly where it ends,
    `kept_reasoning` the reasoning before that text; all three are empty for a fresh answer.
    `tools` are offered to the model; without any, it is told of none.
    """

    turns: tuple[Turn, ...]
    kept: str = ""
    kept_reasoning: str = ""
    model: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    summary: str = ""
    purpose: Purpose = Purpose.ANSWER


class FinishReason(StrEnum):
    STOP = "stop"
    """The answer is whole."""

    LENGTH = "length"
    """The provider's length limit was reached; calls of the step were cut and do not exist."""

    TOOL_CALLS = "tool_calls"
    """The step is whole and asks for calls: their results are the next step's."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer, as raw as the provider sent it: it may hold half a surrogate pair."""

    kind: PartKind
    text: str


@dataclass(frozen=True, slots=True)
class CallAsked:
    """One whole call of this model step as the model wrote it: `arguments` is JSON text, unchecked."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The provider's own end of the step; always the last event of a good stream.

    `calls`, in the order asked for, are there exactly when `reason` is TOOL_CALLS.
    """

    reason: FinishReason
    usage: dict[str, Any] | None = None
    calls: tuple[CallAsked, ...] = ()
