"""A process that runs tasks: slots, beats, deliveries, and the way out (DESIGN 9).

Every process has one worker row and raises its `beat`; with each beat it reads what it holds and lets
go of what moved on. Nobody times anything by a clock: others compare the numbers they saw.
"""

import asyncio
from dataclasses import dataclass

import structlog

from assistant.domain.errors import AssistantError
from assistant.domain.store_ports import Store
from assistant.domain.task import Task
from assistant.runner.claiming import Claimed, Claiming
from assistant.runner.driving import Driving

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Running:
    attempt: int
    drive: asyncio.Task[None]


class Working:
    """The tasks of this process, from delivery to ending."""

    def __init__(
        self,
        store: Store,
        claiming: Claiming,
        driving: Driving,
        *,
        worker_id: str,
        slots: int,
        beat_seconds: float,
    ) -> None:
        self._store = store
        self._claiming = claiming
        self._driving = driving
        self.worker_id = worker_id
        self._beat_seconds = beat_seconds
        self._slots = asyncio.Semaphore(slots)
        self._running: dict[str, _Running] = {}
        self._claiming_now: list[str] = []  # one of them more than once, when it is delivered so
        self._stray: dict[str, int] = {}
        self._knocked: set[str] = set()
        self._delivering_again: set[asyncio.Task[None]] = set()
        self._handing_over = False
        self._left = False
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> int:
        """How many tasks this process drives now."""
        return len(self._running)

    async def deliver(self, task_id: str) -> None:
        """Take a delivery: wait for a free slot, claim, start driving, return.

        A delivery of a task that is not to be had is dropped; the store has the last word.
        """
        if self._handing_over or self._knock(task_id):
            return
        await self._slots.acquire()
        claimed: Claimed | None = None
        self._claiming_now.append(task_id)
        self._idle.clear()
        try:
            if not self._handing_over and not self._knock(task_id):
                claimed = await self._claiming.claim(task_id)
            if claimed is not None:
                self._start(claimed)
        finally:
            self._claiming_now.remove(task_id)
            if claimed is None:
                self._free_slot()

    async def beat(self) -> None:
        """One beat: raise the number, cancel drives that moved on, let go of what nobody drives."""
        if self._left:
            return
        known = list(self._running.items())  # a claim that commits during the read is not judged by it
        async with self._store.write() as unit:
            await unit.workers.beat(self.worker_id)
            held = {task.id: task for task in await unit.tasks.held_by(self.worker_id)}
        for task_id, running in known:
            task = held.get(task_id)
            if task is None or task.attempt != running.attempt:
                running.drive.cancel()
        await self._let_go(held)

    def moved_on(self, task_id: str, attempt: int) -> None:
        """An attempt took the task from whoever had it: cancel an older drive of it that is here."""
        running = self._running.get(task_id)
        if running is not None and running.attempt < attempt:
            running.drive.cancel()

    async def beat_for_ever(self) -> None:
        """Beat every `beat_seconds`; a store that is away is met again at the next beat."""
        while True:
            try:
                await self.beat()
            except AssistantError as error:
                _log.warning("a beat failed", worker=self.worker_id, error=error.message)
            except Exception:
                # Without beats this process would be taken for lost, and work on all the same.
                _log.exception("a beat broke", worker=self.worker_id)
            await asyncio.sleep(self._beat_seconds)

    async def hand_over(self, drain_seconds: float) -> None:
        """Take no more, wait up to `drain_seconds` for what runs, then release the rest with its text."""
        self._handing_over = True
        if drain_seconds > 0:
            try:
                async with asyncio.timeout(drain_seconds):
                    await self._idle.wait()
            except TimeoutError:
                pass
        for running in self._running.values():
            running.drive.cancel()
        await self._idle.wait()

    async def leave(self) -> None:
        """Remove the worker row, after the handover: nobody needs to find this process lost."""
        self._left = True
        async with self._store.write() as unit:
            await unit.workers.remove(self.worker_id)

    def _knock(self, task_id: str) -> bool:
        """Whether it is driven here; then it is looked at again as soon as that drive is over.

        A decision may come between the commit of a park and the end of the drive that parked.
        """
        if task_id not in self._running:
            return False
        self._knocked.add(task_id)
        return True

    async def _deliver_again(self, task_id: str) -> None:
        try:
            await self.deliver(task_id)
        except AssistantError as error:
            _log.warning("a delivery failed", task=task_id, error=error.message)

    def _start(self, claimed: Claimed) -> None:
        task = claimed.task
        drive = asyncio.create_task(self._drive(claimed), name=f"drive {task.id} {task.attempt}")
        running = self._running[task.id] = _Running(task.attempt, drive)
        drive.add_done_callback(lambda _: self._drove(task.id, running))

    async def _drive(self, claimed: Claimed) -> None:
        try:
            await self._driving.drive(claimed, lambda: self._handing_over)
        except Exception:
            _log.exception("a drive could not be ended", task=claimed.task.id)

    def _drove(self, task_id: str, running: _Running) -> None:
        if self._running.get(task_id) is running:
            del self._running[task_id]
        self._free_slot()
        if task_id in self._knocked:
            self._knocked.discard(task_id)
            again = asyncio.create_task(self._deliver_again(task_id), name=f"deliver {task_id} again")
            self._delivering_again.add(again)
            again.add_done_callback(self._delivering_again.discard)

    def _free_slot(self) -> None:
        self._slots.release()
        if not self._running and not self._claiming_now:
            self._idle.set()

    async def _let_go(self, held: dict[str, Task]) -> None:
        """Release what the store says we hold and nobody here drives, seen so at two beats in a row.

        A claim whose reply was lost would else be held by a living process for ever.
        """
        driven = {*self._running, *self._claiming_now}
        stray = {id_: task.attempt for id_, task in held.items() if id_ not in driven}
        for task_id, attempt in stray.items():
            if self._stray.get(task_id) == attempt:
                async with self._store.write() as unit:
                    await unit.sessions.bump(held[task_id].session_id)
                    await unit.tasks.release(task_id, attempt)
        self._stray = stray
