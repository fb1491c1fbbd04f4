"""A task: the stored work that answers one user message, and its state machine (DESIGN 5).

    pending ──claim──▶ streaming ──finish──▶ done(complete | length | stopped)
       │                │   ▲ ▲
       │   calls_stored │   │ └────── decided, results ─────┐
       │                ▼   │ results                       │
       │             tool_calling ──park──▶ awaiting_confirm ──decided──▶ tool_calling
       │                │                         │
       └──── fail ──────┴──── fail / expire ──────┴──▶ failed(error | interrupted | timeout | expired)

    claim_calls: pending -> tool_calling, for a task seeded with calls.
    claim: streaming and tool_calling stay where they are; a lost attempt is claimed again.
    stop: from any state that is not terminal to done(stopped).

A terminal state has a reason and never moves again. Every stored move is one conditional UPDATE that
carries the attempt.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from assistant.domain.machine import Machine
from assistant.domain.tool_call import ToolCall


class TaskState(StrEnum):
    PENDING = "pending"
    """Stored and waiting for a runner; nothing was asked of a provider yet."""

    STREAMING = "streaming"
    """One attempt holds it and drives a model step; the text may be growing."""

    TOOL_CALLING = "tool_calling"
    """The calls of the step are stored; those that may run are running or about to."""

    AWAITING_CONFIRM = "awaiting_confirm"
    """Parked until the user decides; no worker holds it, no slot, no coroutine."""

    DONE = "done"
    """Ended well; the reason says whether it is complete, cut by length or stopped by the user."""

    FAILED = "failed"
    """Ended badly; the reason and the stored error say why, the text so far is kept."""


class TaskReason(StrEnum):
    COMPLETE = "complete"
    """The provider said that the answer is whole."""

    LENGTH = "length"
    """The provider stopped at its length limit; Continue is offered."""

    STOPPED = "stopped"
    """The user stopped it; what stood in the log at the fence is what is stored."""

    ERROR = "error"
    """The provider or a rule refused; the stored error says it in words."""

    INTERRUPTED = "interrupted"
    """The attempt was lost and cannot go on by itself; Continue and Retry are offered."""

    TIMEOUT = "timeout"
    """A stated deadline passed without the provider's next piece."""

    EXPIRED = "expired"
    """The decision it waited for did not come in time."""


class TaskEvent(StrEnum):
    CLAIM = "claim"
    """An attempt begins on a task without undone calls."""

    CLAIM_CALLS = "claim_calls"
    """An attempt begins on a task that was seeded with calls."""

    CALLS_STORED = "calls_stored"
    """The model step ended with tool calls; they are stored as requested."""

    RESULTS = "results"
    """All calls of the step are settled; the next model step begins."""

    PARK = "park"
    """Undecided calls are left; the attempt lets go of the task."""

    DECIDED = "decided"
    """A decided call can run, or none is undecided any more."""

    FINISH = "finish"
    """The provider ended the answer."""

    FAIL = "fail"
    """The attempt or the reconciler ends it with an error, an interruption or a timeout."""

    EXPIRE = "expire"
    """The decision's time ran out."""

    STOP = "stop"
    """The user's wish to end it, after the fence and the fold."""


_S, _E = TaskState, TaskEvent

TASK = Machine(
    {
        (_S.PENDING, _E.CLAIM): _S.STREAMING,
        (_S.PENDING, _E.CLAIM_CALLS): _S.TOOL_CALLING,
        (_S.PENDING, _E.FAIL): _S.FAILED,
        (_S.PENDING, _E.STOP): _S.DONE,
        (_S.STREAMING, _E.CLAIM): _S.STREAMING,
        (_S.STREAMING, _E.CALLS_STORED): _S.TOOL_CALLING,
        (_S.STREAMING, _E.FINISH): _S.DONE,
        (_S.STREAMING, _E.FAIL): _S.FAILED,
        (_S.STREAMING, _E.STOP): _S.DONE,
        (_S.TOOL_CALLING, _E.CLAIM): _S.TOOL_CALLING,
        (_S.TOOL_CALLING, _E.RESULTS): _S.STREAMING,
        (_S.TOOL_CALLING, _E.PARK): _S.AWAITING_CONFIRM,
        (_S.TOOL_CALLING, _E.FAIL): _S.FAILED,
        (_S.TOOL_CALLING, _E.STOP): _S.DONE,
        (_S.AWAITING_CONFIRM, _E.DECIDED): _S.TOOL_CALLING,
        (_S.AWAITING_CONFIRM, _E.EXPIRE): _S.FAILED,
        (_S.AWAITING_CONFIRM, _E.FAIL): _S.FAILED,
        (_S.AWAITING_CONFIRM, _E.STOP): _S.DONE,
    },
    terminal=frozenset({_S.DONE, _S.FAILED}),
)

REASONS: dict[TaskState, frozenset[TaskReason]] = {
    _S.DONE: frozenset({TaskReason.COMPLETE, TaskReason.LENGTH, TaskReason.STOPPED}),
    _S.FAILED: frozenset({TaskReason.ERROR, TaskReason.INTERRUPTED, TaskReason.TIMEOUT, TaskReason.EXPIRED}),
}
"""Which reasons a terminal state may carry; a state that is not terminal carries none."""

CLAIMABLE = frozenset({_S.PENDING, _S.STREAMING, _S.TOOL_CALLING})
"""The states in which a task that nobody holds is picked up by a runner (DESIGN 6, Claim)."""


GOES_ON = frozenset({TaskReason.COMPLETE, TaskReason.LENGTH})
"""The ends after which a session's next queued message is sent; after any other its queue pauses (B110)."""


@dataclass(frozen=True, slots=True)
class TaskError:
    """Why a task failed: a stable code, and a sentence for the user."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Task:
    """One task as stored, without its text (see `log.Folded` for that).

    `offset` is the length of the stored text in code points; the text now may be ahead of it.
    `prefix` is the length of the text the task was seeded with (Continue), else 0.
    """

    id: str
    session_id: str
    owner_id: str
    question_id: str
    answer_id: str
    state: TaskState
    reason: TaskReason | None
    attempt: int
    worker: str | None
    offset: int
    prefix: int
    stop_requested_at: datetime | None
    error: TaskError | None
    usage: dict[str, Any] | None
    created_at: datetime
    finished_at: datetime | None
    version: int
    tool_calls: tuple[ToolCall, ...] = field(default=())

    @property
    def closed(self) -> bool:
        """True when the state is terminal: nothing more will ever come."""
        return self.state in TASK.terminal

    @property
    def step_begins(self) -> int:
        """The offset at which the text of the model step now begins: after the last call, or after the text
        that the task was seeded with, whichever is later."""
        return max([self.prefix, *(call.offset for call in self.tool_calls)])

    @property
    def steps(self) -> int:
        """How many model steps have ended with calls."""
        return max((call.step for call in self.tool_calls), default=0)
