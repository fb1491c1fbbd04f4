"""The seam to the work on a session: tasks, and the ledger of the calls that they make.

Every move is one conditional UPDATE checked by its row count; a bool says whether it won. Whoever moves
anything has bumped the session in the same transaction.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from assistant.domain.log import Folded
from assistant.domain.task import Task, TaskError, TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCall, ToolCallReason, ToolCallState
from assistant.domain.transcript import Transcript


class Tasks(Protocol):
    """Every move is one conditional UPDATE checked by its row count; a bool says whether it won."""

    async def add(self, task: Task, seed: Transcript = ...) -> None: ...

    async def get(self, owner_id: str, task_id: str) -> Task | None: ...

    async def find(self, task_id: str) -> Task | None:
        """The task whoever owns it: for the runner and the reconciler only."""
        ...

    async def of_answers(self, owner_id: str, answer_ids: Sequence[str]) -> list[Task]:
        """The tasks of these answers, as far as they are this owner's, oldest first."""
        ...

    async def first_of_question(self, question_id: str) -> Task | None:
        """The task that the send of this message made."""
        ...

    async def unfinished(self, session_id: str) -> list[Task]: ...

    async def last_ended(self, session_id: str) -> Task | None:
        """The task of a session that ended last, on whichever branch."""
        ...

    async def latest_states(self, session_ids: Sequence[str]) -> dict[str, TaskState]:
        """By session: the state of its unfinished task, else of the task of its chosen last answer."""
        ...

    async def changed_since(self, session_id: str, version: int) -> list[Task]: ...

    async def stored(self, task_id: str) -> Folded:
        """The task row's text, parts and log position, as the start of a fold. For a terminal task
        the message row's text with `closed` set."""
        ...

    async def claim(
        self, task_id: str, worker_id: str, state: TaskState, *, limit: int, version: int
    ) -> Task | None:
        """`attempt + 1`, `worker = worker_id`, state to `state`, when nobody holds it, no stop was
        asked for, it is claimable, and its owner runs fewer than `limit` others (DESIGN 6, Claim)."""
        ...

    async def release(self, task_id: str, attempt: int) -> bool:
        """`worker = NULL` by attempt: rescue and handover."""
        ...

    async def snapshot(self, task_id: str, attempt: int, folded: Folded) -> bool:
        """Text, parts, offset and log position of a running attempt; raises no version."""
        ...

    async def store_calls(
        self, task_id: str, attempt: int, folded: Folded, calls: Sequence[ToolCall], *, version: int
    ) -> bool:
        """The end of a model step that asks for calls: streaming to tool_calling by attempt, with the
        snapshot, the answer's message and the calls in one transaction. A stop that was asked for wins."""
        ...

    async def results(self, task_id: str, attempt: int, *, version: int) -> bool:
        """tool_calling to streaming by attempt: all calls are settled. A stop that was asked for wins."""
        ...

    async def park(self, task_id: str, attempt: int, *, version: int) -> bool:
        """tool_calling to awaiting_confirm by attempt, held by nobody. A stop that was asked for wins."""
        ...

    async def unpark(self, task_id: str, *, version: int) -> bool:
        """awaiting_confirm to tool_calling, for a runner to pick up. A stop that was asked for wins."""
        ...

    async def request_stop(self, task_id: str, *, at: datetime, version: int) -> Task | None:
        """Stop is a claim: `attempt + 1, worker = NULL, stop_requested_at` from any state that is not
        terminal; None when it already ended. A stop asked for before keeps its time."""
        ...

    async def end(
        self,
        task_id: str,
        attempt: int,
        state: TaskState,
        reason: TaskReason,
        *,
        at: datetime,
        version: int,
        transcript: Transcript,
        error: TaskError | None = None,
        usage: dict[str, Any] | None = None,
    ) -> bool:
        """Terminal state by attempt, and the answer's message filled, in this transaction; the task
        row's own text is emptied. A task with `stop_requested_at` only ends as done(stopped).
        Its calls that are requested become failed(stopped), or those undecided failed(expired) when it
        expires; those executing become failed(lost)."""
        ...

    async def held_by(self, worker_id: str) -> list[Task]: ...

    async def unheld(self, *, limit: int, owner_limit: int) -> list[Task]:
        """Claimable tasks that nobody holds and no one asked to stop, oldest first: of each owner only
        as many as may run beside those that do."""
        ...

    async def half_stopped(self, *, limit: int) -> list[Task]:
        """Tasks with `stop_requested_at` that are not terminal yet."""
        ...

    async def held_by_unknown(self) -> list[Task]:
        """Running tasks whose worker has no row."""
        ...


class ToolCalls(Protocol):
    """The ledger of calls (DESIGN 5). Calls are stored with their task, or by `Tasks.store_calls`."""

    async def get(self, owner_id: str, call_id: str) -> ToolCall | None:
        """The call if its task is this owner's and the session is not deleted."""
        ...

    async def add(self, calls: Sequence[ToolCall]) -> None:
        """Store calls of a task that is held, beside those that it has."""
        ...

    async def start(
        self, call_ids: Sequence[str], task_id: str, attempt: int, *, at: datetime, version: int
    ) -> list[str]:
        """requested to executing, for calls that need no decision or are approved, of a task in
        tool_calling that this attempt holds and nobody asked to stop. Returns those that are begun."""
        ...

    async def settle(
        self,
        call_id: str,
        attempt: int,
        state: ToolCallState,
        reason: ToolCallReason | None,
        result: str | None,
        *,
        at: datetime,
        version: int,
    ) -> bool:
        """executing to a terminal state, by the attempt that began it."""
        ...

    async def decide(
        self,
        call_id: str,
        arguments_hash: str,
        decision: Decision,
        *,
        reason: str | None,
        by: str,
        on: str | None = None,
        at: datetime,
        version: int,
    ) -> bool:
        """Record the one decision of an undecided call with these arguments, in time; a denial settles the
        call as failed(denied) at once."""
        ...

    async def made_in_place_of(self, call_id: str) -> ToolCall | None:
        """The first call that was made in place of this one in another task, by Mark done or Run again."""
        ...

    async def expired(self, *, now: datetime, limit: int) -> list[str]:
        """The parked tasks with an undecided call whose time has passed."""
        ...
