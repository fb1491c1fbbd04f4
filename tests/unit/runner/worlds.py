"""A store, a claim and a drive in memory, each with a gate, so that a test deals the order of events."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from assistant.domain.errors import StoreUnavailable
from assistant.domain.store_ports import Unit
from assistant.domain.task import Task, TaskState
from assistant.runner.claiming import Claimed

WORKER = "me"


def a_task(task_id: str = "task", attempt: int = 1) -> Task:
    """A running task that this process holds."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Task(
        id=task_id,
        session_id="session",
        owner_id="ada",
        question_id="question",
        answer_id="answer",
        state=TaskState.STREAMING,
        reason=None,
        attempt=attempt,
        worker=WORKER,
        offset=0,
        prefix=0,
        stop_requested_at=None,
        error=None,
        usage=None,
        created_at=now,
        finished_at=None,
        version=1,
    )


class World:
    """What the store holds for the worker, and what was done to it.

    `held` is read when a transaction asks; `before_commit` is awaited after it has read.
    """

    def __init__(self) -> None:
        self.held: list[Task] = []
        self.released: list[tuple[str, int]] = []
        self.beats = 0
        self.away = 0
        """So many transactions are refused first."""
        self.refused = 0
        self.ended: list[tuple[str, Any]] = []
        self.before_commit: Callable[[], Any] | None = None

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[Unit]:
        if self.away:
            self.away -= 1
            self.refused += 1
            raise StoreUnavailable()
        yield cast(
            Unit,
            SimpleNamespace(
                workers=SimpleNamespace(beat=self._beat, remove=self._nothing),
                sessions=SimpleNamespace(bump=self._bump, touch=self._nothing),
                tasks=SimpleNamespace(
                    held_by=self._held_by, release=self._release, end=self._end, snapshot=self._nothing
                ),
            ),
        )
        if self.before_commit is not None:
            await self.before_commit()

    read = write

    async def _beat(self, worker_id: str) -> None:
        self.beats += 1

    async def _bump(self, session_id: str) -> int:
        return 1

    async def _held_by(self, worker_id: str) -> list[Task]:
        return list(self.held)

    async def _release(self, task_id: str, attempt: int) -> bool:
        self.released.append((task_id, attempt))
        self.held = [task for task in self.held if task.id != task_id]
        return True

    async def _end(self, task_id: str, attempt: int, *how: Any, **more: Any) -> bool:
        self.ended.append((task_id, how))
        return True

    async def _nothing(self, *_: Any, **__: Any) -> None:
        return None


class Claims:
    """Claims whatever is asked for, and says so in the store; once it is `taken`, nothing."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.failure: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.taken = False

    async def claim(self, task_id: str) -> Claimed | None:
        if self.taken:
            return None
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        task = a_task(task_id)
        self._world.held.append(task)
        return cast(Claimed, SimpleNamespace(task=task))


class Drives:
    """Drives until the gate opens, or until it is cancelled."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.begun: list[str] = []
        self.cancelled: list[str] = []
        self.handing_over: list[bool] = []

    async def drive(self, claimed: Claimed, handing_over: Callable[[], bool]) -> None:
        self.begun.append(claimed.task.id)
        self.handing_over.append(handing_over())
        if handing_over():
            return
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(claimed.task.id)
            raise
