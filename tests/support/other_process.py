"""Another process that runs tasks, in the hands of the test: it shares the store and the log, and is killed.

A kill writes nothing: what it held is found by a reconciler pass, since its row is taken away with it.
"""

import asyncio
from typing import Any, cast

from assistant.domain.log import Folded
from assistant.domain.ports import Providers
from assistant.domain.times import SystemClock
from assistant.domain.tools import Tools
from assistant.runner.calling import Calling
from assistant.runner.claiming import Claimed, Claiming
from assistant.runner.driving import Driving
from assistant.runner.ending import Endings
from assistant.runner.fitting import Fitting
from assistant.runner.summarising import Summarising
from assistant.runner.tool_use import Deadlines, ToolUse
from assistant.streams.log import RedisLog
from assistant.streams.writer import AnswerWriter
from tests.support.opened import Assistant

DEADLINES = Deadlines(tool_seconds=60, decision_seconds=86_400)


class OtherProcess:
    """One process far away."""

    def __init__(
        self,
        assistant: Assistant,
        providers: Providers,
        tools: Tools,
        *,
        worker_id: str = "far away",
        marks_calls: bool = True,
    ) -> None:
        """Not `marks_calls`: it is killed before its log knows of the calls that are stored."""
        services = assistant.services
        self.worker_id = worker_id
        self._store, self._log = services.store, services.log
        tool_use = ToolUse(tools, SystemClock(), DEADLINES)
        self._claiming = Claiming(
            services.store, services.log, providers, worker_id=worker_id, owner_tasks=1000
        )
        self._driving = Driving(
            providers,
            Fitting(services.store, Summarising(services.store, SystemClock())),
            Calling(services.store, tool_use, services.hub, SystemClock()),
            Endings(services.store, SystemClock()),
            self._open_writer,
            services.hub,
            services.queueing.advance,
            offered=tool_use.offered(),
        )
        self._marks_calls = marks_calls
        self._drive: asyncio.Task[None] | None = None

    async def drive(self, task_id: str) -> None:
        """Claim the task and drive it in the background."""
        async with self._store.write() as unit:
            await unit.workers.beat(self.worker_id)
        claimed = await self._claiming.claim(task_id)
        assert claimed is not None, "the task was not to be had"
        self._drive = asyncio.create_task(self._driving.drive(claimed, lambda: False))

    async def ended(self) -> None:
        """Wait until its drive is over."""
        assert self._drive is not None, "nothing is driven"
        await asyncio.wait({self._drive}, timeout=10)
        assert self._drive.done()

    async def kill(self) -> None:
        """Do nothing any more, and be found lost by the next pass."""
        if self._drive is not None:
            self._drive.cancel()
            await asyncio.wait({self._drive})
        await self.seem_lost()

    async def seem_lost(self) -> None:
        """Be found lost by the next pass, and go on all the same: a zombie."""
        async with self._store.write() as unit:
            await unit.workers.remove(self.worker_id)

    def _open_writer(self, claimed: Claimed) -> AnswerWriter:
        task = claimed.task

        async def snapshot(folded: Folded) -> bool:
            async with self._store.write() as unit:
                return await unit.tasks.snapshot(task.id, task.attempt, folded)

        log = cast(RedisLog, self._log)
        writer = AnswerWriter(task.id, task.attempt, claimed.folded, log, snapshot, lambda: None)
        if not self._marks_calls:
            cast(Any, writer).mark_calls = lambda _: None
        return writer
