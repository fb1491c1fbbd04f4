"""The tools as the ledger sees them: an entry for each call asked for, and what becomes of one that runs.

Whether a call needs a decision and whether it may be repeated is written into its entry; the tool is not
asked again (Case B083).
"""

import asyncio
import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from assistant.domain.models import CallAsked
from assistant.domain.ports import Clock
from assistant.domain.task import Task
from assistant.domain.tool_call import ToolCall, ToolCallReason, ToolCallState
from assistant.domain.tools import (
    BadCall,
    ToolOutcome,
    ToolResult,
    Tools,
    ToolSpec,
    arguments_hash,
    canonical_json,
)
from assistant.domain.transcript import well_formed

MOST_LOST = 3
"""A call that may be repeated is given up when its workers were lost so often."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a call may run where its tool does not say so, and how long it waits for a person."""

    tool_seconds: float
    decision_seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call ended: what `ToolCalls.settle` stores."""

    state: ToolCallState
    reason: ToolCallReason | None
    text: str


class ToolUse:
    """What the runner does with the tools."""

    def __init__(self, tools: Tools, clock: Clock, deadlines: Deadlines) -> None:
        self._tools = tools
        self._clock = clock
        self._deadlines = deadlines
        self._specs = {spec.name: spec for spec in tools.specs()}

    def offered(self) -> tuple[ToolSpec, ...]:
        """The tools that a model is told of."""
        return tuple(self._specs.values())

    def entry(
        self, asked: CallAsked, task: Task, step: int, offset: int, allowed: Collection[str]
    ) -> ToolCall:
        """The entry of a call, at this offset of the answer. One that cannot be run as it was written, or
        whose tool was not allowed, is failed from the start, in words that let the model do better."""
        checked = self._tools.check(asked.name, asked.arguments)
        if asked.name in self._specs and asked.name not in allowed:
            checked = BadCall(f"The user does not allow the tool {asked.name} in this conversation.")
        spec = self._specs.get(asked.name)
        now = self._clock.now()
        call = ToolCall(
            id=self._clock.id(),
            task_id=task.id,
            step=step,
            name=well_formed(asked.name),
            arguments=well_formed(asked.arguments),
            arguments_hash=_hash_of_text(asked.arguments),
            offset=offset,
            state=ToolCallState.REQUESTED,
            version=task.version,
            idempotent=spec is not None and spec.idempotent,
        )
        if isinstance(checked, BadCall):
            failed, error = ToolCallState.FAILED, ToolCallReason.ERROR
            return replace(
                call, state=failed, reason=error, result=well_formed(checked.text), finished_at=now
            )
        call = replace(call, arguments=canonical_json(checked), arguments_hash=arguments_hash(checked))
        if spec is None or not spec.needs_decision:
            return call
        expires_at = now + timedelta(seconds=self._deadlines.decision_seconds)
        return replace(call, needs_decision=True, expires_at=expires_at)

    def once_more(self, call: ToolCall, version: int) -> ToolCall:
        """A new entry in place of a call that was lost and may be repeated."""
        return replace(
            call,
            id=self._clock.id(),
            state=ToolCallState.REQUESTED,
            retry_of=call.id,
            attempt=None,
            started_at=None,
            version=version,
        )

    async def carry_out(self, call: ToolCall, owner_id: str) -> Outcome:
        """Run a call that has begun, until its deadline; never raises for what a tool does.

        A tool that changed since the call was stored is not given arguments that nobody saw.
        """
        seconds = self._seconds(call)
        arguments = self._tools.check(call.name, call.arguments)
        if isinstance(arguments, BadCall):
            return _as_stored(ToolResult.failed(arguments.text))
        if arguments_hash(arguments) != call.arguments_hash:
            return _as_stored(
                ToolResult.failed("The tool has changed since this call was asked for; ask for it anew.")
            )
        work = asyncio.create_task(self._tools.run(call.name, arguments, call_id=call.id, owner_id=owner_id))
        try:
            done, _ = await asyncio.wait({work}, timeout=seconds)
        finally:
            # Not awaited: a tool that does not heed its cancellation must not hold the task up.
            work.cancel()
        if done:
            return self._ended(call, work)
        late = f"There was no answer within {seconds:g} seconds."
        return Outcome(ToolCallState.FAILED, ToolCallReason.TIMEOUT, late)

    def _ended(self, call: ToolCall, work: asyncio.Task[ToolResult]) -> Outcome:
        """What came of it; whatever broke its promise to return a result says nothing of the effect."""
        if not work.cancelled() and work.exception() is None:
            return _as_stored(work.result())
        broken = None if work.cancelled() else work.exception()
        _log.error("a call broke off", call=call.id, task=call.task_id, exc_info=broken)
        return _as_stored(ToolResult.unknown("The tool broke off."))

    def _seconds(self, call: ToolCall) -> float:
        spec = self._specs.get(call.name)
        own = spec.timeout_seconds if spec else None
        return self._deadlines.tool_seconds if own is None else own


def _as_stored(result: ToolResult) -> Outcome:
    text = well_formed(result.text)
    match result.outcome:
        case ToolOutcome.OK:
            return Outcome(ToolCallState.COMPLETED, None, text)
        case ToolOutcome.FAILED:
            return Outcome(ToolCallState.FAILED, ToolCallReason.ERROR, text)
        case ToolOutcome.UNKNOWN:
            return Outcome(ToolCallState.FAILED, ToolCallReason.LOST, text)


def may_be_repeated(call: ToolCall, calls: Sequence[ToolCall]) -> bool:
    """Whether a lost call is a pure read, and was not lost too often in this task."""
    by_id = {each.id: each for each in calls}
    times = 1
    call_is_read = call.idempotent
    while call.retry_of is not None and call.retry_of in by_id:
        call, times = by_id[call.retry_of], times + 1
    return call_is_read and times < MOST_LOST


def _hash_of_text(text: str) -> str:
    """What stands for arguments that are none: they are never run, and nobody decides about them."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
