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


DENIED = "The user denied this call; it was not carried out."
NOT_DECIDED = "Nobody decided in time; it was not carried out."
NOT_BEGUN = "It was not carried out."
MARKED_DONE = "The user says that this was done."


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as stored; `offset` is where it stands in the answer, in code points.

    `needs_decision` and `idempotent` are what the tool declared when the call was stored: a later change
    of the tool has no say in it (Case B083). `decided_by` is the owner who decided, `decided_on`
    the device as it names itself. `retry_of` names the call that this one was made in place of, in this task
    or in the one that it goes on from. One that was `imported` happened in another session, if at all: it is
    told and shown, and never run.
    """

    id: str
    task_id: str
    step: int
    name: str
    arguments: str
    arguments_hash: str
    offset: int
    state: ToolCallState
    version: int
    reason: ToolCallReason | None = None
    result: str | None = None
    needs_decision: bool = False
    decision: Decision | None = None
    decision_reason: str | None = None
    decided_at: datetime | None = None
    decided_by: str | None = None
    decided_on: str | None = None
    expires_at: datetime | None = None
    retry_of: str | None = None
    attempt: int | None = None
    idempotent: bool = False
    started_at: datetime | None = None
    finished_at: datetime | None = None
    imported: bool = False

    @property
    def settled(self) -> bool:
        """Nothing more will happen to it."""
        return self.state in TOOL_CALL.terminal

    @property
    def undecided(self) -> bool:
        """It waits for a person."""
        return self.state is ToolCallState.REQUESTED and self.needs_decision and self.decision is None

    @property
    def may_start(self) -> bool:
        """It has not begun, and nobody has to be asked any more."""
        return self.state is ToolCallState.REQUESTED and not self.undecided

    @property
    def outcome_unknown(self) -> bool:
        """The effect may or may not have happened, running it again is not as good as once, and it is ours
        to settle."""
        return self.reason in OUTCOME_UNKNOWN and not self.idempotent and not self.imported


def told(call: ToolCall) -> str:
    """What the model is told of a settled call. A reason that the user gave is quoted as theirs."""
    match call.reason:
        case None:
            return call.result or ""
        case ToolCallReason.DENIED:
            because = f" They said: {call.decision_reason}" if call.decision_reason else ""
            return DENIED + because
        case ToolCallReason.EXPIRED:
            return NOT_DECIDED
        case ToolCallReason.STOPPED:
            return NOT_BEGUN
        case ToolCallReason.ERROR | ToolCallReason.TIMEOUT | ToolCallReason.LOST:
            unknown = "It is not known whether this was carried out. " if call.outcome_unknown else ""
            return f"Error: {unknown}{call.result or 'There is no result.'}"
