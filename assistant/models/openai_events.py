"""The chunks of an OpenAI-shaped answer, read into deltas, calls, usage and a finish reason."""

import json
from dataclasses import dataclass, field
from typing import Any

from assistant.domain.models import Delta, Finished, FinishReason
from assistant.domain.transcript import PartKind
from assistant.models.failures import failure, reported
from assistant.models.openai_calls import GrowingCalls

DONE = "[DONE]"

_LENGTH = frozenset({"length", "max_tokens", "model_length"})


@dataclass
class Reading:
    """What was understood of one answer so far. `key` is kept out of every message.

    `offers_tools` says whether the model was told of any; without, a call ends the step as failed.
    """

    key: str = ""
    offers_tools: bool = False
    reason: str | None = None
    """The provider's finish_reason, once it came with the last piece of a call or after it."""
    calls: GrowingCalls = field(default_factory=GrowingCalls)
    fresh: bool = False
    """What was taken last brought text or a piece of a call."""
    usage: dict[str, Any] | None = None
    done: bool = False
    """The end mark came."""

    def take(self, data: str) -> list[Delta]:
        """The deltas of one SSE event's data; raises ProviderFailed for broken JSON or a told error."""
        self.fresh = False
        if data.strip() == DONE:
            self.done = True
            return []
        if not data.strip():
            return []
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            raise failure("model_broken_stream") from None
        return self._understood(chunk, "delta")

    def take_whole(self, document: bytes) -> list[Delta]:
        """The same for one whole answer, from a server that does not stream."""
        try:
            chunk = json.loads(document)
        except (ValueError, RecursionError):
            raise failure("model_broken_stream") from None
        self.done = True
        return self._understood(chunk, "message")

    @property
    def complete(self) -> bool:
        """The provider has said, one way or the other, that the answer is whole.

        With calls only a finish reason says so: one whose arguments were cut must never run.
        """
        return self.reason is not None or (self.done and not self.calls)

    def finished(self) -> Finished:
        """The end of the answer; raises ProviderFailed when it broke off or ended badly."""
        if not self.complete:
            raise failure("model_broken_stream")
        reason = _reason(self.reason)
        if reason is FinishReason.LENGTH or not self.calls:
            return Finished(reason, self.usage)
        if not self.offers_tools:
            raise failure("model_unexpected_calls")
        return Finished(FinishReason.TOOL_CALLS, self.usage, self.calls.whole())

    def _understood(self, chunk: Any, place: str) -> list[Delta]:
        if not isinstance(chunk, dict):
            raise failure("model_broken_stream")
        if chunk.get("error"):
            raise reported(chunk, key=self.key)
        if isinstance(chunk.get("usage"), dict):
            self.usage = chunk["usage"]
        choices = chunk.get("choices")
        if not isinstance(choices, list):
            return []
        deltas: list[Delta] = []
        for choice in choices:
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                piece = choice.get(place)
                deltas += _deltas(piece)
                if isinstance(piece, dict) and self.calls.take(piece):
                    self.fresh, self.reason = True, None
                self.reason = choice.get("finish_reason") or self.reason
        self.fresh = self.fresh or bool(deltas)
        return deltas


def _deltas(piece: Any) -> list[Delta]:
    if not isinstance(piece, dict):
        return []
    reasoning = _text(piece.get("reasoning_content")) or _text(piece.get("reasoning"))
    text = _text(piece.get("content"))
    both = ((PartKind.REASONING, reasoning), (PartKind.TEXT, text))
    return [Delta(kind, words) for kind, words in both if words]


def _text(content: Any) -> str:
    """A string, or the text items of a list, as some servers send it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        items = [item.get("text") for item in content if isinstance(item, dict)]
        return "".join(text for text in items if isinstance(text, str))
    return ""


def _reason(told: str | None) -> FinishReason:
    """Servers have many words for a good end; only those that mean something else are told apart.

    Whether calls came is seen by the calls: some servers say "stop" with them, or "tool_calls" without.
    """
    if told in _LENGTH:
        return FinishReason.LENGTH
    if told == "content_filter":
        raise failure("model_content_filter")
    if told == "error":
        raise failure("model_error")
    return FinishReason.STOP
