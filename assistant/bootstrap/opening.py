"""Open everything in its order, run the background work, and close in reverse."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from assistant.bootstrap.services import Services
from assistant.bootstrap.wiring import providers_of, wire
from assistant.domain.errors import AssistantError, LogUnavailable, StoreUnavailable
from assistant.domain.log import Folded
from assistant.domain.ports import Providers
from assistant.domain.tools import Tools
from assistant.engine import solitary
from assistant.settings import Settings
from assistant.storage.store import SqlStore
from assistant.streams import connection, local_server
from assistant.streams.announcer import Announcer
from assistant.streams.log import RedisLog
from assistant.streams.rates import RatesInProcess, RatesInRedis

_log = structlog.get_logger(__name__)


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
    settings: Settings,
    *,
    runner: bool | None = None,
    providers: Providers | None = None,
    tools: Tools | None = None,
) -> AsyncGenerator[Services]:
    """Open everything, run the background work, yield the services, and close in reverse.

    `runner`: whether this process is there to run tasks; None means that it does so only when
    embedded, and hands over without waiting. `providers` answer, and `tools` are offered, in place of
    those that the settings name; they stay the caller's to close. Raises `solitary.NotAlone` when another
    process is embedded on the same data directory.
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
            made = providers = providers_of(settings)
            stack.push_async_callback(made.aclose)
        alone = RatesInProcess()
        rates = alone if settings.embedded else RatesInRedis(client, alone)
        services = await wire(stack, settings, store, log, providers, tools, rates, runs=runs)
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
