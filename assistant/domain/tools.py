"""The seam to tools: what one promises, what a call of it is told, and the hash that names its arguments.

    check(name, JSON) ──▶ arguments ──canonical──▶ stored, shown, hashed, decided upon ──▶ run ──▶ result

What `check` returns is the call from then on: defaults are filled in, so a person decides about exactly
what will run, and a tool that changes later cannot give the same arguments another meaning.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as the model is told it, and how the ledger must treat it (DESIGN 5)."""

    name: str
    description: str
    schema: dict[str, Any]
    """JSON Schema of the arguments: an object without further properties."""

    idempotent: bool
    """Running it twice is as good as once: a timeout is a plain failure, a lost call is repeated."""

    needs_decision: bool
    """A person approves each call before it runs."""

    timeout_seconds: float | None = None
    """A deadline of its own; None leaves the one of the settings."""


class ToolOutcome(StrEnum):
    OK = "ok"
    """It did what was asked."""

    FAILED = "failed"
    """It did not, and nothing was left half done: the model may try again."""

    UNKNOWN = "unknown"
    """Its effect may or may not have happened: a person looks before it is run again."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """How a call ended; `text` is told to the model and holds no secret and no path of the server."""

    text: str
    outcome: ToolOutcome = ToolOutcome.OK

    @classmethod
    def failed(cls, text: str) -> "ToolResult":
        return cls(text, ToolOutcome.FAILED)

    @classmethod
    def unknown(cls, text: str) -> "ToolResult":
        return cls(text, ToolOutcome.UNKNOWN)


@dataclass(frozen=True, slots=True)
class BadCall:
    """Why a call cannot be run as the model wrote it, in words that let the model do better."""

    text: str


class Tools(Protocol):
    """All tools that an answer may use."""

    def specs(self) -> Sequence[ToolSpec]:
        """Every tool, in an order that stays."""
        ...

    def check(self, name: str, arguments_json: str) -> dict[str, Any] | BadCall:
        """The arguments of a call with defaults filled in, or what is wrong: no such tool, no JSON object,
        a name twice, arguments that the schema does not allow. Blank text counts as `{}`, which servers
        send for a tool without arguments. Checking what it returned gives the same again. Runs nothing.
        """
        ...

    async def run(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str, owner_id: str
    ) -> ToolResult:
        """Run checked arguments once; `call_id` is the tool's idempotency key, unique for ever.

        Never raises for what a tool does: it becomes a result in words, and a line of the log with the ids.
        Cancelling it cancels the tool, but for one that runs in a thread, whose outcome is dropped. It
        knows no deadline: whoever keeps the ledger does.
        """
        ...


def canonical_json(arguments: Mapping[str, Any]) -> str:
    """One spelling of a JSON object: names in code point order, no white space, text as itself.

    Numbers are exact: integers in full, floats as the shortest text that reads back the same, and 1 is
    not 1.0. Text is not normalised. Raises ValueError for NaN and infinities.
    """
    return json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def arguments_hash(arguments: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical JSON, as hexadecimal: what a decision is bound to (DESIGN 9)."""
    # A lone surrogate, which no checked arguments hold, still has a hash of its own.
    return hashlib.sha256(canonical_json(arguments).encode("utf-8", "surrogatepass")).hexdigest()
