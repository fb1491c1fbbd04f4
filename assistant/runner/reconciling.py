"""The reconciler: the one detector of death, of lost deliveries and of stops half done (DESIGN 9).

A pass looks at the store and mends what it finds; it is idempotent and safe beside other processes'
passes, since every move is a conditional UPDATE by attempt. A worker is lost when its beat was the
same in `lost_after` timely passes in a row, the first sight counted.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

import structlog

from assistant.domain.errors import AssistantError, NotFound
from assistant.domain.ports import Clock, Queue
from assistant.domain.records import WorkerBeat
from assistant.domain.store_ports import Store
from assistant.domain.task import Task
from assistant.runner.claiming import Claiming, Verdict
from assistant.runner.ending import Endings, Lost, Unknown

SWEEP_EVERY_PASSES = 600
BATCH = 500

Chore = Callable[[], Awaitable[object]]

_log = structlog.get_logger(__name__)


class Sightings:
    """Counts in how many timely passes in a row each worker's beat stood still."""

    def __init__(self, lost_after: int) -> None:
        self._lost_after = lost_after
        self._seen: dict[str, tuple[int, int]] = {}

    def look(self, beats: list[WorkerBeat]) -> list[str]:
        """Take one timely pass; returns the workers that are lost by it."""
        self._seen = {worker.id: (worker.beat, self._count(worker) + 1) for worker in beats}
        return [id_ for id_, (_, count) in self._seen.items() if count >= self._lost_after]

    def forget(self) -> None:
        """A late or failed pass: the looker itself may have stood still, so counting starts again."""
        self._seen = {}

    def _count(self, worker: WorkerBeat) -> int:
        beat, count = self._seen.get(worker.id, (None, 0))
        return count if beat == worker.beat else 0


class Reconciling:
    """The passes of one process."""

    def __init__(
        self,
        store: Store,
        queue: Queue,
        claiming: Claiming,
        endings: Endings,
        complete_stop: Callable[[Task], Awaitable[None]],
        close_log: Callable[[Task, int], Awaitable[None]],
        remove_deleted: Chore,
        advance_queues: Chore,
        expire_undecided: Chore,
        clock: Clock,
        *,
        worker_id: str,
        beat_seconds: float,
        lost_after: int,
        owner_tasks: int,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._queue = queue
        self._claiming = claiming
        self._endings = endings
        self._complete_stop = complete_stop
        self._close_log = close_log
        self._chores: tuple[tuple[str, Chore], ...] = (
            ("undecided calls could not expire", expire_undecided),
            ("queues could not go on", advance_queues),
            ("deleted sessions could not be removed", remove_deleted),
        )
        self._clock = clock
        self._worker_id = worker_id
        self._beat_seconds = beat_seconds
        self._owner_tasks = owner_tasks
        self._monotonic = monotonic
        self._sightings = Sightings(lost_after)
        self._half_stopped: set[tuple[str, int]] = set()
        self._last_pass: float | None = None
        self._passes = 0

    async def run_for_ever(self) -> None:
        """A pass every beat; a pass that fails is logged and the next one begins anew."""
        while True:
            try:
                await self.run_pass()
            except AssistantError as error:
                self._sightings.forget()
                _log.warning("a reconciler pass failed", error=error.message)
            except Exception:
                # A defect in one pass must not end them all: nobody else would find what is lost.
                self._sightings.forget()
                _log.exception("a reconciler pass broke")
            await asyncio.sleep(self._beat_seconds)

    async def boot_alone(self) -> None:
        """The first pass of the one process (DESIGN 9): whatever ran is lost at once."""
        async with self._store.write() as unit:
            for worker in await unit.workers.all():
                if worker.id != self._worker_id:
                    await unit.workers.remove(worker.id)
        await self.run_pass()

    async def run_pass(self) -> None:
        """Find lost workers, tasks that nobody holds and stops half done, and mend them; go on with queues
        whose turn it is; let go of deleted sessions and keys whose time has passed."""
        now = self._monotonic()
        if self._last_pass is not None and now - self._last_pass > 2 * self._beat_seconds + 0.5:
            self._sightings.forget()
        self._last_pass = now
        async with self._store.read() as unit:
            beats = await unit.workers.all()
            lost = [id_ for id_ in self._sightings.look(beats) if id_ != self._worker_id]
            held = [task for id_ in lost for task in await unit.tasks.held_by(id_)]
            held += await unit.tasks.held_by_unknown()
            unheld = await unit.tasks.unheld(limit=BATCH, owner_limit=self._owner_tasks)
            stops = await unit.tasks.half_stopped(limit=BATCH)
        for worker_id in lost:
            _log.warning("a worker is lost", worker=worker_id)
            async with self._store.write() as unit:
                await unit.workers.remove(worker_id)
        for task in held:
            await self._each(self._rescue, task)
        for task in unheld:
            await self._each(self._revive, task)
        known, self._half_stopped = self._half_stopped, {(task.id, task.attempt) for task in stops}
        for task in stops:
            if (task.id, task.attempt) in known:
                await self._each(self._complete_stop, task)
        await self._do_chores()
        self._passes += 1
        if self._passes % SWEEP_EVERY_PASSES == 1:
            async with self._store.write() as unit:
                await unit.keys.sweep(now=self._clock.now())

    async def _do_chores(self) -> None:
        """Their trouble must not end the pass: a pass that fails forgets which beats it saw stand still."""
        for failure, chore in self._chores:
            try:
                await chore()
            except Exception as error:
                _log.warning(failure, error=repr(error))

    async def _each(self, mend: Callable[[Task], Awaitable[None]], task: Task) -> None:
        """One task's trouble never keeps the others from being mended."""
        try:
            await mend(task)
        except Exception as error:
            _log.warning("a task could not be mended", task=task.id, attempt=task.attempt, error=repr(error))

    async def _rescue(self, task: Task) -> None:
        """Take a lost attempt's task from its worker."""
        _log.info("rescue", task=task.id, attempt=task.attempt, session=task.session_id)
        try:
            async with self._store.write() as unit:
                await unit.sessions.bump(task.session_id)
                released = await unit.tasks.release(task.id, task.attempt)
        except NotFound:
            return
        if released:
            await self._revive(task)

    async def _revive(self, task: Task) -> None:
        """Have a task that nobody holds run again, or end it here when it cannot go on by itself.

        Ending it needs no runner, so it is settled even while no worker is alive.
        """
        if task.attempt == 0 or await self._claiming.may_run(task):
            await self._queue.enqueue(task.id, task.attempt)
            return
        claimed = await self._claiming.claim(task.id, to_end=True)
        if claimed is None:
            return
        if claimed.verdict is not Verdict.RUN:
            ending = Unknown() if claimed.verdict is Verdict.UNKNOWN else Lost()
            if await self._endings.write(claimed.task, ending, claimed.folded):
                await self._close_log(claimed.task, len(claimed.folded.transcript))
            return
        async with self._store.write() as unit:
            await unit.sessions.bump(task.session_id)
            await unit.tasks.release(task.id, claimed.task.attempt)
        await self._queue.enqueue(task.id, claimed.task.attempt)
