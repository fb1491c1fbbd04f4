"""A reconciler in the hands of the test: its passes come when it is told, and time is what it is told."""

from assistant.domain.ports import Providers
from assistant.domain.times import SystemClock
from assistant.runner.claiming import Claiming
from assistant.runner.ending import Endings
from assistant.runner.reconciling import Reconciling
from tests.support.opened import Assistant

BEAT_SECONDS = 1.0
LOST_AFTER = 4


class Passes:
    """The reconciler of a process that only looks, beside the open product."""

    def __init__(self, assistant: Assistant, providers: Providers) -> None:
        services = assistant.services
        self._now = 0.0

        async def close_log(task: object, offset: int) -> None:
            return None

        self._reconciling = Reconciling(
            services.store,
            services.queue,
            Claiming(services.store, services.log, providers, worker_id="looker", owner_tasks=1000),
            Endings(services.store, SystemClock()),
            services.stopping.complete,
            close_log,
            services.deleting.remove_expired,
            services.queueing.advance_ready,
            services.deciding.expire_overdue,
            SystemClock(),
            worker_id="looker",
            beat_seconds=BEAT_SECONDS,
            lost_after=LOST_AFTER,
            owner_tasks=1000,
            monotonic=lambda: self._now,
        )

    async def timely(self, count: int = 1) -> None:
        """So many passes, each a beat after the one before."""
        for _ in range(count):
            await self.after(BEAT_SECONDS)

    async def after(self, seconds: float) -> None:
        """One pass so long after the one before."""
        self._now += seconds
        await self._reconciling.run_pass()
