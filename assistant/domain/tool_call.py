"""A tool call: one call that the model asked for, and its ledger (DESIGN 5).

    requested ──start──▶ executing ──complete──▶ completed
        │                    │
        │                    └─fail─▶ failed(error | timeout | lost)
        └─────────refuse────────────▶ failed(error | denied | expired | stopped)

`requested` is safe to start. `executing` is never started again by anybody: the outside world may
have changed. `timeout` and `lost` mean that the outcome is unknown.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assistant.domain.machine import Machine


class ToolCallState(StrEnum):
    REQUESTED = "requested"
    """Stored and not begun: nothing has happened outside, so it is safe to start it."""

    EXECUTING = "executing"
    """Begun by exactly one attempt. The outside world may have changed: never start it again."""

    COMPLETED = "completed"
    """The result is stored and will be told to the model."""

    FAILED = "failed"
    """No result; the reason says whether anything may have happened."""


class ToolCallReason(StrEnum):
    ERROR = "error"
    """The tool answered with an error, or its arguments were bad; told to the model."""

    TIMEOUT = "timeout"
    """No answer within the deadline: the outcome is unknown."""

    LOST = "lost"
    """Its worker went away while it ran: the outcome is unknown."""

    DENIED = "denied"
    """The user refused it; nothing happened."""

    EXPIRED = "expired"
    """Nobody decided in time; nothing happened."""

    STOPPED = "stopped"
    """The task was stopped before it began; nothing happened."""


class ToolCallEvent(StrEnum):
    START = "start"
    """Exactly one attempt begins it."""

    COMPLETE = "complete"
    """The tool returned a result."""

    FAIL = "fail"
    """It had begun and gave no result."""

    REFUSE = "refuse"
    """It ends without having begun."""


class Decision(StrEnum):
    APPROVE = "approve"
    """The user allows the call with exactly these arguments."""

    DENY = "deny"
    """The user refuses the call; the reason, if any, is told to the model."""


_S, _E = ToolCallState, ToolCallEvent

TOOL_CALL = Machine(
    {
        (_S.REQUESTED, _E.START): _S.EXECUTING,
        (_S.REQUESTED, _E.REFUSE): _S.FAILED,
        (_S.EXECUTING, _E.COMPLETE): _S.COMPLETED,
        (_S.EXECUTING, _E.FAIL): _S.FAILED,
    },
    terminal=frozenset({_S.COMPLETED, _S.FAILED}),
)

REASONS: dict[ToolCallEvent, frozenset[ToolCallReason]] = {
    _E.FAIL: frozenset({ToolCallReason.ERROR, ToolCallReason.TIMEOUT, ToolCallReason.LOST}),
    _E.REFUSE: frozenset(
        {
            ToolCallReason.ERROR,
            ToolCallReason.DENIED,
            ToolCallReason.EXPIRED,
            ToolCallReason.STOPPED,
        }
    ),
}
"""Which reasons the events that fail a call may give."""

OUTCOME_UNKNOWN = frozenset({ToolCallReason.TIMEOUT, ToolCallReason.LOST})
"""The effect may or may not have happened: a person looks before it is run again."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as stored; `offset` is where it stands in the answer, in code points."""

    id: str
    task_id: str
    step: int
    name: str
    arguments: str
    arguments_hash: str
    offset: int
    state: ToolCallState
    reason: ToolCallReason | None
    result: str | None
    needs_decision: bool
    decision: Decision | None
    decided_at: datetime | None
    decided_by: str | None
    expires_at: datetime | None
    retry_of: str | None
    attempt: int | None
    version: int
    decision_reason: str | None = None
