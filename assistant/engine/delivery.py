"""Delivery of task ids to runners by docket, behind the Queue port.

docket only delivers: a delivery waits for a free slot, claims in the store, starts the drive and
returns (DESIGN 9). A queue that is away, flushed or slow loses nothing: the reconciler re-adds from
the store what nobody holds, and the key `<task>:<attempt>` drops what is already waiting.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import timedelta

import structlog
from docket import Docket, Worker

NAME = "assistant"
REDELIVERY = timedelta(seconds=4)
RECONNECTION_DELAY = timedelta(seconds=0.5)
CHECK_INTERVAL = timedelta(milliseconds=50)
ENQUEUE_SECONDS = 2.0
MAX_CONNECTIONS = 500

_log = structlog.get_logger(__name__)

Deliver = Callable[[str], Awaitable[None]]

_deliver_here: ContextVar[Deliver] = ContextVar("deliver_here")


class DocketQueue:
    """The Queue of one process: everybody enqueues, and where `deliver` is given it is called.

    `concurrency` bounds the deliveries that wait for a slot side by side, not the running tasks.
    """

    def __init__(self, url: str, *, deliver: Deliver | None, concurrency: int = 50) -> None:
        self._url = _with_connections(url)
        self._deliver = deliver
        self._concurrency = concurrency
        self._docket: Docket | None = None
        self._closing = False

    async def enqueue(self, task_id: str, attempt: int) -> None:
        """Ask for a delivery, at most once while one under the same task and attempt waits or runs.

        Never raises: a queue that is away is made good by the reconciler within its next passes.
        """
        docket = self._docket
        if docket is None:
            return
        try:
            async with asyncio.timeout(ENQUEUE_SECONDS):
                await docket.add(deliver, key=f"{task_id}:{attempt}")(task_id)
        except Exception as error:
            _log.warning("not enqueued", task=task_id, attempt=attempt, error=repr(error))

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Connect, and deliver where this process runs tasks, until the block ends.

        A server that is away at the start or goes away later is tried again for ever (Case B147).
        """
        first = asyncio.Event()
        supervisor = asyncio.create_task(self._supervise(first), name="delivery")
        try:
            waiting = asyncio.create_task(first.wait())
            await asyncio.wait({waiting, supervisor}, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            yield
        finally:
            self._closing = True  # docket's worker takes a cancellation as a wish to drain
            supervisor.cancel()
            await asyncio.gather(supervisor, return_exceptions=True)

    async def _supervise(self, first: asyncio.Event) -> None:
        while not self._closing:
            try:
                async with Docket(name=NAME, url=self._url, execution_ttl=timedelta(0)) as docket:
                    docket.register(deliver)
                    self._docket = docket
                    await self._serve(docket, first)
            except Exception as error:
                _log.warning("delivery failed; trying again", error=repr(error))
            finally:
                self._docket = None
                first.set()
            if not self._closing:
                await asyncio.sleep(RECONNECTION_DELAY.total_seconds())

    async def _serve(self, docket: Docket, first: asyncio.Event) -> None:
        if self._deliver is None:
            first.set()
            await asyncio.Event().wait()
            return
        token = _deliver_here.set(self._deliver)
        try:
            async with Worker(
                docket,
                concurrency=self._concurrency,
                redelivery_timeout=REDELIVERY,
                reconnection_delay=RECONNECTION_DELAY,
                minimum_check_interval=CHECK_INTERVAL,
                scheduling_resolution=timedelta(seconds=1),
                schedule_automatic_tasks=False,
            ) as worker:
                first.set()
                await worker.run_forever()
        finally:
            _deliver_here.reset(token)


async def deliver(task_id: str) -> None:
    """The one function that docket knows; calls what this process was opened with."""
    await _deliver_here.get()(task_id)


def _with_connections(url: str) -> str:
    """The URL with a pool that holds when many enqueue at once (engine notes: the default does not)."""
    if url.startswith("memory://") or "max_connections" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}max_connections={MAX_CONNECTIONS}"
