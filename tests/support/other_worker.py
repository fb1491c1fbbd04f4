"""A worker of another process, in the hands of the test: it claims, writes, beats, and dies when told.

It shares store and log with the open product and nothing else. Dead or frozen is a worker that the test
does not move; one that writes on after its task was taken from it is a zombie.
"""

from typing import cast

from assistant.domain.log import Folded
from assistant.domain.models import FinishReason, ModelRequest
from assistant.domain.ports import Providers
from assistant.domain.task import Task
from assistant.domain.times import SystemClock
from assistant.domain.transcript import PartKind
from assistant.runner.claiming import Claimed, Claiming
from assistant.runner.ending import Endings, Finished
from assistant.streams.log import RedisLog
from assistant.streams.writer import AnswerWriter
from tests.support.local_provider import DONE, Events, LocalProvider, said
from tests.support.opened import Assistant


async def _nothing(_: ModelRequest) -> Events:
    yield said("")
    yield DONE


class OtherWorker:
    """One worker far away; with `row` it has beaten once, so that others count its beats."""

    def __init__(
        self, assistant: Assistant, *, worker_id: str = "far away", providers: Providers | None = None
    ) -> None:
        services = assistant.services
        self.worker_id = worker_id
        self._store, self._log = services.store, services.log
        self._claiming = Claiming(
            services.store,
            services.log,
            providers or LocalProvider(_nothing),
            worker_id=worker_id,
            owner_tasks=1000,
        )
        self._endings = Endings(services.store, SystemClock())
        self._claimed: Claimed | None = None
        self._writer: AnswerWriter | None = None

    @property
    def task(self) -> Task:
        """The task as it was when it was taken."""
        assert self._claimed is not None, "nothing was taken"
        return self._claimed.task

    @property
    def writer(self) -> AnswerWriter:
        """The writer of the attempt."""
        assert self._writer is not None, "nothing was taken"
        return self._writer

    async def beat(self) -> None:
        """Show a sign of life."""
        async with self._store.write() as unit:
            await unit.workers.beat(self.worker_id)

    async def take(self, task_id: str) -> Claimed:
        """Claim the task and open its writer."""
        await self.beat()
        claimed = self._claimed = await self._claiming.claim(task_id)
        assert claimed is not None, "the task was not to be had"

        async def snapshot(folded: Folded) -> bool:
            async with self._store.write() as unit:
                return await unit.tasks.snapshot(task_id, claimed.task.attempt, folded)

        self._writer = AnswerWriter(
            task_id,
            claimed.task.attempt,
            claimed.folded,
            cast(RedisLog, self._log),
            snapshot,
            lambda: None,
        )
        return claimed

    async def say(self, text: str) -> None:
        """Write text into the log; Fenced when the task was taken from it."""
        await self.writer.feed(PartKind.TEXT, text)
        await self.writer.flush()

    async def keep(self) -> bool:
        """Store what was said in the task's row; False when the task was taken from it."""
        async with self._store.write() as unit:
            return await unit.tasks.snapshot(self.task.id, self.task.attempt, self.writer.folded)

    async def finish(self) -> bool:
        """End the task as complete; False when it was not its to end."""
        return await self._endings.write(self.task, Finished(FinishReason.STOP, None), self.writer.folded)

    async def close(self) -> None:
        """Write the closing entry."""
        await self.writer.close()

    async def die(self) -> None:
        """Do nothing any more."""
        await self.writer.abandon()
