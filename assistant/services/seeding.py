"""Seeds: what a new task takes over from one that ended, its text and its calls (DESIGN 5).

    completed, denied, failed  ──▶ the same, under an id of its own: told to the model, never run
    never begun                ──▶ requested anew; a person is asked anew
    outcome unknown            ──▶ in its place, or what a person says of it: marked done, or requested again
    imported                   ──▶ the same: it was another session's, and is never run here

A call belongs to one task and its id has one effect at most, so what is taken over gets an id of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.domain.task import Task
from assistant.domain.tool_call import (
    MARKED_DONE,
    Decision,
    ToolCall,
    ToolCallReason,
    ToolCallState,
)
from assistant.domain.transcript import PartKind, Transcript

NEVER_BEGUN = frozenset({ToolCallReason.STOPPED, ToolCallReason.EXPIRED})


@dataclass(frozen=True, slots=True)
class Seed:
    """What an answer begins with; the calls get their task and version when they are stored."""

    transcript: Transcript = Transcript()
    calls: tuple[ToolCall, ...] = ()


NOTHING = Seed()


@dataclass(frozen=True, slots=True)
class Times:
    """When a seed is made, and until when what is asked anew may be decided."""

    now: datetime
    expires_at: datetime


def kept(ended: Task, transcript: Transcript, new_id: Callable[[], str], times: Times) -> Seed:
    """The text and the calls of a task that ended."""
    return _seed(ended, transcript, new_id, lambda call: _taken_over(call, times))


def marked_done(
    ended: Task, transcript: Transcript, new_id: Callable[[], str], times: Times, call_id: str, by: str
) -> Seed:
    """The same, with a person's word that this call was carried out."""

    def each(call: ToolCall) -> ToolCall:
        if call.id != call_id:
            return _taken_over(call, times)
        done = replace(call, state=ToolCallState.COMPLETED, reason=None, result=MARKED_DONE)
        said = {"decided_by": by, "decided_on": None, "decided_at": times.now}
        return replace(done, retry_of=call.id, finished_at=times.now, **said)

    return _seed(ended, transcript, new_id, each)


def run_again(
    ended: Task, transcript: Transcript, new_id: Callable[[], str], times: Times, call_id: str, by: str
) -> Seed:
    """The same, with this call requested again: who wants it run again has decided about it."""

    def each(call: ToolCall) -> ToolCall:
        if call.id != call_id:
            return _taken_over(call, times)
        again = _requested(call, times)
        if not again.needs_decision:
            return again
        return replace(again, decision=Decision.APPROVE, decided_by=by, decided_at=times.now, expires_at=None)

    return _seed(ended, transcript, new_id, each)


def _seed(
    ended: Task, transcript: Transcript, new_id: Callable[[], str], each: Callable[[ToolCall], ToolCall]
) -> Seed:
    repeated = {call.retry_of for call in ended.tool_calls}
    old = [call for call in ended.tool_calls if call.id not in repeated]
    new = {call.id: replace(each(call), id=new_id(), attempt=None) for call in old}
    parts = tuple(
        replace(part, call_id=new[part.call_id].id) if part.call_id in new else part
        for part in transcript.parts
        if part.kind is not PartKind.TOOL_CALL or part.call_id in new
    )
    return Seed(Transcript(transcript.text, parts), tuple(new.values()))


def _taken_over(call: ToolCall, times: Times) -> ToolCall:
    if call.reason in NEVER_BEGUN and not call.imported:
        return _requested(call, times)
    # A person says once what became of an unknown one, from here on where it was taken over to. What any
    # other was made in place of is a matter of the task that it comes from.
    return replace(call, retry_of=call.id if call.outcome_unknown else None)


def _requested(call: ToolCall, times: Times) -> ToolCall:
    return replace(
        call,
        state=ToolCallState.REQUESTED,
        reason=None,
        result=None,
        decision=None,
        decision_reason=None,
        decided_at=None,
        decided_by=None,
        decided_on=None,
        expires_at=times.expires_at if call.needs_decision else None,
        started_at=None,
        finished_at=None,
        retry_of=call.id,
    )
