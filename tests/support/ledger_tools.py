"""Tools whose effects a test counts, call id by call id, outside of the product that makes them.

ledger = Ledger()
tools = LedgerTools(ledger, mail=Scripted(needs_decision=True), read=Scripted(idempotent=True))
...
assert ledger.effects_of(call.id) == 1
"""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.domain.tools import BadCall, ToolResult, ToolSpec
from tests.support.eventually import eventually


class Ledger:
    """What happened in the world outside, which no kill and no restart of the product changes."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, str]] = []
        """(name, call id) each time that a tool was begun."""
        self.effects: list[tuple[str, str]] = []
        """(name, call id) each time that something happened."""
        self.arguments: dict[str, Mapping[str, Any]] = {}

    def effects_of(self, call_id: str) -> int:
        """How often a call had its effect."""
        return Counter(call_id for _, call_id in self.effects)[call_id]

    def times(self, name: str) -> int:
        """How often a tool had its effect, under whichever call ids."""
        return Counter(name for name, _ in self.effects)[name]

    async def has_begun(self, name: str, times: int = 1) -> None:
        """Wait until a tool was begun so often."""
        await eventually(lambda: sum(each == name for each, _ in self.begun) >= times)

    async def has(self, name: str, times: int = 1) -> None:
        """Wait until a tool had its effect so often."""
        await eventually(lambda: self.times(name) >= times)

    def at_most_once(self) -> bool:
        """Whether no call id had more than one effect."""
        return all(count <= 1 for count in Counter(call_id for _, call_id in self.effects).values())


def gate() -> asyncio.Event:
    """A gate that is shut."""
    return asyncio.Event()


@dataclass
class Scripted:
    """One tool: waits at the gate `before` its effect, has it, waits at `after`, then returns or raises.

    `wants` names the arguments that it must be given. `stubborn`: a cancellation does not end its wait.
    """

    needs_decision: bool = False
    idempotent: bool = False
    timeout_seconds: float | None = None
    before: asyncio.Event | None = None
    after: asyncio.Event | None = None
    ends: ToolResult | BaseException | None = None
    stubborn: bool = False
    wants: tuple[str, ...] = ()
    cancelled: int = field(default=0, init=False)


class LedgerTools:
    """`domain.tools.Tools`, scripted; the same object may serve several processes one after the other."""

    def __init__(self, ledger: Ledger, **tools: Scripted) -> None:
        self.ledger = ledger
        self.tools = tools

    def specs(self) -> Sequence[ToolSpec]:
        """One a tool."""
        return tuple(
            ToolSpec(
                name,
                f"The tool {name}.",
                {"type": "object"},
                tool.idempotent,
                tool.needs_decision,
                tool.timeout_seconds,
            )
            for name, tool in self.tools.items()
        )

    def check(self, name: str, arguments_json: str) -> dict[str, Any] | BadCall:
        """The arguments, when the tool exists and they are an object with what it wants."""
        tool = self.tools.get(name)
        if tool is None:
            return BadCall(f"There is no tool called {name}.")
        try:
            arguments = json.loads(arguments_json or "{}")
        except ValueError:
            return BadCall("The arguments are no JSON.")
        if not isinstance(arguments, dict) or any(each not in arguments for each in tool.wants):
            return BadCall("The arguments are not what the tool wants.")
        return arguments

    async def run(
        self, name: str, arguments: Mapping[str, Any], *, call_id: str, owner_id: str
    ) -> ToolResult:
        """Play the script."""
        tool = self.tools[name]
        self.ledger.begun.append((name, call_id))
        self.ledger.arguments[call_id] = arguments
        await _at(tool.before, tool)
        self.ledger.effects.append((name, call_id))
        await _at(tool.after, tool)
        if isinstance(tool.ends, BaseException):
            raise tool.ends
        return tool.ends or ToolResult(f"{name} did it")


async def _at(gate: asyncio.Event | None, tool: Scripted) -> None:
    while gate is not None:
        try:
            await gate.wait()
            return
        except asyncio.CancelledError:
            tool.cancelled += 1
            if not tool.stubborn:
                raise
