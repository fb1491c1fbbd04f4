"""Stop a task: a claim that only ever ends, one path for every state (DESIGN 9, Stop).

    1. attempt + 1, worker NULL, stop_requested_at      one transaction; from here no worker may write
    2. fence, fold                                      what stands in the log now is the answer
    3. done(stopped) with that text, then the closing entry

A worker of this process is told at the end, so that the provider's line is closed at once; any other sees it
at its next beat. A stop that dies between the steps is finished by the reconciler through `complete`.
"""

from collections.abc import Callable
from contextlib import suppress

from assistant.domain.errors import Fenced, LogUnavailable, NotFound
from assistant.domain.log import fold
from assistant.domain.ports import Clock, Hub, StreamLog
from assistant.domain.records import Wish
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import Task, TaskReason, TaskState
from assistant.services.wishes import Wishes


class Stopping:
    """The stop use case."""

    def __init__(
        self,
        store: Store,
        log: StreamLog,
        hub: Hub,
        wishes: Wishes,
        clock: Clock,
        *,
        moved_on: Callable[[str, int], None] = lambda _task, _attempt: None,
    ) -> None:
        """`moved_on` hears of the task and the attempt that took it from its worker, who may be here."""
        self._moved_on = moved_on
        self._store = store
        self._log = log
        self._hub = hub
        self._wishes = wishes
        self._clock = clock

    async def stop(self, owner_id: str, task_id: str, wish: Wish | None = None) -> Task:
        """End the task with the text that it has; what already ended stays as it ended.

        Returns the task in its terminal state. Raises NotFound for a task that is not the owner's.
        """
        async with self._store.read() as unit:
            task = await unit.tasks.get(owner_id, task_id)
        if task is None:
            raise NotFound()
        async with self._store.write() as unit:
            if await self._wishes.accept(unit, owner_id, wish) is None:
                await self._wishes.settle(unit, owner_id, wish, {"task_id": task_id})
                if not task.closed:
                    await self.request(unit, task)
            task = await unit.tasks.find(task_id) or task
        if not task.closed:
            await self.complete(task)
        async with self._store.read() as unit:
            ended = await unit.tasks.get(owner_id, task_id)
        if ended is None:
            raise NotFound()
        return ended

    async def request(self, unit: Unit, task: Task) -> None:
        """Step 1 within a transaction, once: a second stop would fence off the first that is under way, so
        it helps it to its end. Whoever asks completes it after the commit."""
        version = await unit.sessions.bump(task.session_id)
        now = await unit.tasks.find(task.id)
        if now is not None and now.stop_requested_at is None:
            await unit.tasks.request_stop(task.id, at=self._clock.now(), version=version)

    async def complete(self, task: Task) -> None:
        """Steps 2 and 3 for a task whose stop was requested; idempotent, safe beside itself."""
        async with self._store.read() as unit:
            folded = await unit.tasks.stored(task.id)
        if folded.closed:
            return
        try:
            with suppress(Fenced):  # only by a log that is ahead of its row, as after a restored backup
                await self._log.fence(task.id, task.attempt, len(folded.transcript))
            folded = fold(folded, await self._log.after(task.id, folded.position))
        except LogUnavailable:
            pass  # with the log away readers see the row alone, so the row is what was shown
        async with self._store.write() as unit:
            version = await unit.sessions.bump(task.session_id)
            await unit.sessions.touch(task.session_id, at=self._clock.now())
            won = await unit.tasks.end(
                task.id,
                task.attempt,
                TaskState.DONE,
                TaskReason.STOPPED,
                at=self._clock.now(),
                version=version,
                transcript=folded.transcript,
            )
        if won:
            with suppress(LogUnavailable):  # followers re-check the row
                await self._log.close(task.id, task.attempt, 1, len(folded.transcript))
            self._hub.ring(task.id)
        self._moved_on(task.id, task.attempt)
