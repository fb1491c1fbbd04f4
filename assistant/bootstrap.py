"""The composition root: settings in, services out; the only place where siblings meet.

    Settings -> store, log, hub, queue, providers -> use cases and runner -> Services

It wires the tests too: whatever a test needs is opened here, with other settings.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import structlog

from assistant.domain.errors import AssistantError, LogUnavailable, NotReady, StoreUnavailable
from assistant.domain.log import Folded
from assistant.domain.ports import Clock, Hub, Providers, Queue, StreamLog
from assistant.domain.store_ports import Store
from assistant.domain.task import Task
from assistant.domain.times import SystemClock
from assistant.domain.tools import Tools
from assistant.engine import solitary
from assistant.engine.delivery import DocketQueue
from assistant.models.openai_compatible import Timeouts
from assistant.models.providers import ModelProviders
from assistant.runner.claiming import Claimed, Claiming
from assistant.runner.driving import Driving
from assistant.runner.ending import Endings
from assistant.runner.reconciling import Reconciling
from assistant.runner.working import Working
from assistant.services.arranging import Arranging
from assistant.services.deleting import Deleting
from assistant.services.drafting import Drafting
from assistant.services.following import Following
from assistant.services.knowing import Knowing
from assistant.services.owner_seal import OwnerSeal
from assistant.services.queueing import Queueing
from assistant.services.restoring import Restoring
from assistant.services.retrying import Retrying
from assistant.services.sending import Sending
from assistant.services.stopping import Stopping
from assistant.services.watching import Watching
from assistant.services.wishes import Wishes
from assistant.settings import Settings
from assistant.storage.store import SqlStore
from assistant.streams import connection, local_server
from assistant.streams.announcer import Announcer
from assistant.streams.hub import StreamHub
from assistant.streams.log import RedisLog
from assistant.streams.writer import DEFAULT_PACE, AnswerWriter, Pace
from assistant.tools.offered import offered_tools

EMBEDDED_PACE = Pace(first_is_stored=True, snapshot_seconds=0.25, snapshot_entries=8)
"""The log dies with the one process: what readers have seen begin must not count as never begun."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Services:
    """Everything that a page, a route or a command may use."""

    settings: Settings
    clock: Clock
    store: Store
    log: StreamLog
    hub: Hub
    queue: Queue
    knowing: Knowing
    wishes: Wishes
    sending: Sending
    queueing: Queueing
    stopping: Stopping
    retrying: Retrying
    arranging: Arranging
    deleting: Deleting
    restoring: Restoring
    following: Following
    watching: Watching
    drafting: Drafting
    tools: Tools
    seal: OwnerSeal
    working: Working
    reconciling: Reconciling
    drains: bool
    ready: bool = False
    accepting: bool = False

    def refuse_sends(self) -> None:
        """From here on new work is refused; reads and streams go on."""
        self.accepting = False

    async def hand_over(self, seconds: float) -> None:
        """Wait up to `seconds` for running tasks where this process only works, then release the rest.

        `serve` hands over at once, since a restart follows and the next boot goes on (DESIGN 9).
        """
        await self.working.hand_over(seconds if self.drains else 0.0)
        await self.working.leave()


class Held:
    """The services of this process, for code that is built before they are open."""

    def __init__(self) -> None:
        self._services: Services | None = None

    def set(self, services: Services) -> None:
        """Hold them from here on."""
        self._services = services

    def clear(self) -> None:
        """Hold nothing any more."""
        self._services = None

    def get(self) -> Services:
        """The open services; NotReady when nothing is open."""
        if self._services is None:
            raise NotReady()
        return self._services


held = Held()


def with_local_server(settings: Settings) -> Settings:
    """The settings, with the URL of this machine's own server where `local://` asks for one.

    Starts or adopts it; blocks for seconds at most. Raises NotReady when it does not start.
    """
    url = local_server.local_url(settings.redis_url, settings.data_dir)
    return settings if url == settings.redis_url else settings.model_copy(update={"redis_url": url})


def stop_local_server(settings: Settings) -> bool:
    """End the server that `local://` started; False when none runs."""
    return local_server.stop_valkey(settings.data_dir / "valkey")


@asynccontextmanager
async def running(
    settings: Settings, *, runner: bool | None = None, providers: Providers | None = None
) -> AsyncGenerator[Services]:
    """Open everything, run the background work, yield the services, and close in reverse.

    `runner`: whether this process is there to run tasks; None means that it does so only when
    embedded, and hands over without waiting. `providers` answer instead of those that the settings
    name; they stay the caller's to close. Raises `solitary.NotAlone` when another process is embedded
    on the same data directory.
    """
    runs = settings.embedded if runner is None else runner
    async with AsyncExitStack() as stack:
        settings.make_data_dir()
        stack.enter_context(solitary.hold(settings.data_dir, alone=settings.embedded))
        client = connection.connect(settings.redis_url)
        stack.push_async_callback(connection.disconnect, client)
        log = RedisLog(
            client, open_seconds=settings.log_ttl_seconds, closed_seconds=settings.log_closed_ttl_seconds
        )
        announcer = Announcer(log)
        store = SqlStore(settings.database_url, announce=announcer)
        stack.push_async_callback(store.close)
        await stack.enter_async_context(announcer.open())
        if providers is None:
            made = providers = _providers(settings)
            stack.push_async_callback(made.aclose)
        services = await _wire(stack, settings, store, log, providers, runs=runs)
        services.drains = runner is True
        await stack.enter_async_context(_background(services, settings))
        services.ready = services.accepting = True
        try:
            yield services
        finally:
            services.ready = services.accepting = False


async def examine(settings: Settings) -> list[tuple[str, bool, str]]:
    """For `doctor`: (what, fine, in words) for the database and the queue and streams."""
    found = []
    store = SqlStore(settings.database_url)
    try:
        await store.open()
        found.append(("database", True, "answers"))
    except StoreUnavailable as error:
        found.append(("database", False, error.message))
    finally:
        await store.close()
    client = connection.connect(settings.redis_url)
    try:
        await RedisLog(client).after("doctor", Folded().position)
        found.append(("queue and streams", True, "answer"))
    except LogUnavailable as error:
        found.append(("queue and streams", False, error.message))
    finally:
        await connection.disconnect(client)
    return found


async def _wire(
    stack: AsyncExitStack,
    settings: Settings,
    store: SqlStore,
    log: RedisLog,
    providers: Providers,
    *,
    runs: bool,
) -> Services:
    clock = SystemClock()
    worker_id = clock.id()

    async def stored(task_id: str) -> Folded:
        async with store.read() as unit:
            return await unit.tasks.stored(task_id)

    async def version_of(session_id: str) -> int | None:
        async with store.read() as unit:
            return await unit.sessions.version(session_id)

    hub = StreamHub(log, stored, version_of)
    stack.push_async_callback(hub.aclose)

    def open_writer(claimed: Claimed) -> AnswerWriter:
        task = claimed.task

        async def snapshot(folded: Folded) -> bool:
            async with store.write() as unit:
                return await unit.tasks.snapshot(task.id, task.attempt, folded)

        return AnswerWriter(
            task.id,
            task.attempt,
            claimed.folded,
            log,
            snapshot,
            lambda: hub.ring(task.id),
            pace=EMBEDDED_PACE if settings.embedded else DEFAULT_PACE,
        )

    async def close_log(task: Task, offset: int) -> None:
        try:
            await log.close(task.id, task.attempt, 1, offset)
        except LogUnavailable:
            _log.info("a log was not closed; its readers re-check the row", task=task.id)
        hub.ring(task.id)

    def knows_model(model: str) -> bool:
        return model in providers.names()

    claiming = Claiming(store, log, providers, worker_id=worker_id, owner_tasks=settings.owner_tasks)
    endings = Endings(store, clock)
    working = Working(
        store,
        claiming,
        Driving(providers, endings, open_writer, hub, lambda session_id: queueing.advance(session_id)),
        worker_id=worker_id,
        slots=settings.runner_slots,
        beat_seconds=settings.beat_seconds,
    )
    queue = DocketQueue(settings.redis_url, deliver=working.deliver if runs else None)
    wishes = Wishes(store, clock, ttl_seconds=settings.key_ttl_seconds)
    queueing = Queueing(store, queue, wishes, clock)
    stopping = Stopping(store, log, hub, wishes, clock)
    deleting = Deleting(store, stopping, wishes, clock)
    reconciling = Reconciling(
        store,
        queue,
        claiming,
        endings,
        stopping.complete,
        close_log,
        deleting.remove_expired,
        queueing.advance_ready,
        clock,
        worker_id=worker_id,
        beat_seconds=settings.beat_seconds,
        lost_after=settings.lost_after_beats,
        owner_tasks=settings.owner_tasks,
    )
    # Before the first delivery: a task held by a worker without a row is taken from it by others.
    try:
        await working.beat()
    except AssistantError as error:
        _log.warning("not reached at the start; trying on", error=error.message)
    await stack.enter_async_context(queue.open())
    restoring = Restoring(store, log)
    return Services(
        settings=settings,
        clock=clock,
        store=store,
        log=log,
        hub=hub,
        queue=queue,
        knowing=Knowing(store, clock),
        wishes=wishes,
        sending=Sending(store, queue, wishes, clock, knows_model=knows_model),
        queueing=queueing,
        stopping=stopping,
        retrying=Retrying(store, queue, wishes, clock),
        arranging=Arranging(store, wishes, clock, knows_model=knows_model),
        deleting=deleting,
        restoring=restoring,
        following=Following(store, log, hub),
        watching=Watching(hub, restoring),
        drafting=Drafting(store, clock),
        tools=offered_tools(
            store, clock, settings.smtp_url.get_secret_value(), settings.data_dir, demo=settings.demo_tools
        ),
        seal=OwnerSeal(lambda: settings.secret_key.get_secret_value()),
        working=working,
        reconciling=reconciling,
        drains=False,
    )


@asynccontextmanager
async def _background(services: Services, settings: Settings) -> AsyncGenerator[None]:
    """Beats and reconciler passes, for as long as the services are open."""
    if settings.embedded:
        try:
            await services.reconciling.boot_alone()
        except AssistantError as error:
            _log.warning("not reached at the start; trying on", error=error.message)
    loops = [
        asyncio.create_task(services.working.beat_for_ever(), name="beats"),
        asyncio.create_task(services.reconciling.run_for_ever(), name="reconciler"),
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.cancel()
        await asyncio.gather(*loops, return_exceptions=True)
        await services.working.hand_over(0)


def _providers(settings: Settings) -> ModelProviders:
    if not settings.model_base_url:
        return ModelProviders.demo()
    return ModelProviders.connected(
        settings.model_base_url,
        key=settings.model_api_key.get_secret_value(),
        names=[name.strip() for name in settings.model_name.split(",") if name.strip()],
        continues_prefix=settings.model_continues_prefix,
        timeouts=Timeouts(
            connect=settings.model_connect_timeout_seconds,
            first_token=settings.model_first_token_timeout_seconds,
            between_tokens=settings.model_between_tokens_timeout_seconds,
        ),
    )
