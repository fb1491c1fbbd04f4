"""Claim a task: one attempt begins, older ones are fenced off, and the text so far is known (DESIGN 6).

    UPDATE (attempt + 1, worker = me)  ->  fence  ->  fold  ->  verdict

The verdict says whether the attempt may go on: an answer is never silently begun a second time.
"""

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from assistant.domain.errors import Fenced, LogUnavailable, NotFound, ProviderFailed
from assistant.domain.log import Folded, Op, fold
from assistant.domain.ports import Providers, StreamLog
from assistant.domain.session import Session
from assistant.domain.store_ports import Store
from assistant.domain.task import TASK, Task, TaskEvent, TaskState
from assistant.domain.tool_call import ToolCallState
from assistant.domain.transcript import PartKind, Transcript
from assistant.runner.asking import Context, read_context

NO_LIMIT = 2**31 - 1


class Verdict(StrEnum):
    RUN = "run"
    """Nothing was produced yet, or the provider goes on exactly where the text ends."""

    INTERRUPTED = "interrupted"
    """Text was produced by a lost attempt and this provider cannot go on by itself."""

    UNKNOWN = "unknown"
    """A call was left executing by a lost attempt, and must not be begun again."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A task that this process holds, with all that its model steps need: `context` is the branch up to and
    with the question. `calls_untold`: the text ends with calls of which the log may not know."""

    task: Task
    session: Session
    folded: Folded
    verdict: Verdict
    context: Context
    calls_untold: bool = False


class _NotOurs(Exception):
    """The conditional UPDATE found no row; rolls the transaction back."""


class Claiming:
    """The claim, for the runner and the reconciler of one process."""

    def __init__(
        self,
        store: Store,
        log: StreamLog,
        providers: Providers,
        *,
        worker_id: str,
        owner_tasks: int,
    ) -> None:
        self._store = store
        self._log = log
        self._providers = providers
        self._worker_id = worker_id
        self._owner_tasks = owner_tasks

    async def claim(self, task_id: str, *, to_end: bool = False) -> Claimed | None:
        """Hold the task from here on, or None when it is not to be had (now or any more).

        `to_end`: it will not be run, only ended, so that its owner's limit does not count.
        """
        async with self._store.read() as unit:
            found = await unit.tasks.find(task_id)
        if found is None or found.closed or found.worker is not None:
            return None
        event = (
            TaskEvent.CLAIM_CALLS
            if found.tool_calls and found.state is TaskState.PENDING
            else TaskEvent.CLAIM
        )
        if (found.state, event) not in TASK.arrows:
            return None
        try:
            async with self._store.write() as unit:
                version = await unit.sessions.bump(found.session_id)
                task = await unit.tasks.claim(
                    task_id,
                    self._worker_id,
                    TASK.next(found.state, event),
                    limit=NO_LIMIT if to_end else self._owner_tasks,
                    version=version,
                )
                if task is None:
                    raise _NotOurs
        except (_NotOurs, NotFound):
            return None
        return await self._open(task)

    async def _fence(self, task: Task, offset: int) -> bool:
        """Fence older attempts off; False when a newer attempt has the task already.

        A log that is ahead of its row contradicts the truth: it goes, and readers are told by the row.
        """
        try:
            await self._log.fence(task.id, task.attempt, offset)
        except Fenced:
            async with self._store.read() as unit:
                now = await unit.tasks.find(task.id)
            if now is None or now.attempt != task.attempt:
                return False
            await self._log.forget(task.id)
            await self._log.fence(task.id, task.attempt, offset)
        return True

    async def may_run(self, task: Task) -> bool:
        """Whether a claim would be allowed to go on, looked at without claiming."""
        if task.state is TaskState.TOOL_CALLING:
            return not _left_executing(task)
        async with self._store.read() as unit:
            session = await unit.sessions.get(task.owner_id, task.session_id)
            folded = await unit.tasks.stored(task.id)
        if session is None or self._continues(session.model):
            return True
        with suppress(LogUnavailable):  # the row is the second tier
            folded = fold(folded, await self._log.after(task.id, folded.position))
        return len(folded.transcript) <= task.step_begins

    def _continues(self, model: str | None) -> bool:
        try:
            return self._providers.choose(model).continues_prefix
        except ProviderFailed:
            return False

    async def _open(self, task: Task) -> Claimed | None:
        async with self._store.read() as unit:
            folded = await unit.tasks.stored(task.id)
            session = await unit.sessions.get(task.owner_id, task.session_id)
            if session is None:
                return None
            context = await read_context(unit, task)
        stored, untold = folded.transcript, _ends_with_calls(folded.transcript)
        try:
            if not await self._fence(task, len(stored)):
                return None
            entries = await self._log.after(task.id, folded.position)
            untold = untold and all(entry.op is not Op.REPLACE for entry in entries)
            folded = fold(folded, entries)
        except LogUnavailable:
            pass  # the row is the second tier; the writer opens the log again when it is back
        if folded.transcript != stored:
            # A log that is lost after this point must not give a later fold another text to go on from.
            async with self._store.write() as unit:
                if not await unit.tasks.snapshot(task.id, task.attempt, folded):
                    return None
        verdict = self._verdict(task, session, folded)
        return Claimed(task, session, folded, verdict, context, untold)

    def _verdict(self, task: Task, session: Session, folded: Folded) -> Verdict:
        if task.state is TaskState.TOOL_CALLING:
            return Verdict.UNKNOWN if _left_executing(task) else Verdict.RUN
        produced = len(folded.transcript) > task.step_begins
        lost = task.attempt > 1 and produced and not self._continues(session.model)
        return Verdict.INTERRUPTED if lost else Verdict.RUN


def _ends_with_calls(transcript: Transcript) -> bool:
    """The attempt before may have been lost after it stored the calls and before it told the log."""
    return bool(transcript.parts) and transcript.parts[-1].kind is PartKind.TOOL_CALL


def _left_executing(task: Task) -> bool:
    """Whether an attempt that is gone left a call whose effect may have happened; not twice."""
    return any(call.state is ToolCallState.EXECUTING and not call.idempotent for call in task.tool_calls)
