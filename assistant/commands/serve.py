"""``serve``: page, API and socket in one OS process; embedded, the worker too (DESIGN 9).

port free? -> frontend built -> database migrated -> services open -> server answers
SIGTERM -> refuse sends -> hand over -> end open responses -> stop the server -> gone in 3 s
"""

import asyncio
import os
import socket
from pathlib import Path
from typing import Any

from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.embed import Server

from assistant import bootstrap
from assistant.commands import frontend, migrate
from assistant.commands.going_down import Asked, leave, leave_within
from assistant.commands.logs import log
from assistant.commands.refusals import CannotStart
from assistant.settings import Settings

GONE_WITHIN_SECONDS = 3.0
HAND_OVER_SECONDS = 2.0
BACKLOG = 1024

REQUESTS_AT_ONCE = 16_384
"""Open streams count: with the server's default of 128, the 129th request would never be answered."""

MAX_HEADER_BYTES = 64 * 1024
"""Of one request, its line and all its headers; nobody's browser sends a tenth of it."""

ROOT = Path(__file__).parents[2]


def run(settings: Settings, *, host: str | None = None, port: int | None = None) -> int:
    """Serve until SIGTERM or SIGINT, then end the process; or raise ``CannotStart``."""
    host, port = host or settings.host, port or settings.port
    _refuse_taken_port(host, port)
    # Reflex looks for its configuration and the built page in the working directory.
    os.chdir(ROOT)
    frontend.build_if_stale()
    migrate.upgrade_patiently(settings)
    asyncio.run(_serve(settings, host, port))
    return 0


async def _serve(settings: Settings, host: str, port: int) -> None:
    asked = Asked()
    frontend.serve_built_page()
    # Imported late: Reflex reads the lines above at its import.
    from assistant.assistant import app, open_responses

    async with bootstrap.running(settings) as services:
        bootstrap.held.set(services)
        server = _server(app(), host, port)
        serving = asyncio.create_task(server.serve())
        serving.add_done_callback(lambda _: asked.now())
        log.info("serving", url=f"http://{host}:{port}", embedded=settings.embedded)
        await asked.to_stop()
        if serving.done():
            raise CannotStart(f"the server ended by itself: {serving.exception()}")

        leave_within(GONE_WITHIN_SECONDS)
        services.refuse_sends()
        try:
            async with asyncio.timeout(HAND_OVER_SECONDS):
                await services.hand_over(HAND_OVER_SECONDS)
        except Exception:
            # What is not handed over is rescued by whoever runs next; going down goes on.
            log.exception("handing over failed")
        open_responses.end()
        server.stop()
        await serving
        bootstrap.held.clear()
    log.info("stopped")
    leave()


def _server(asgi: Any, host: str, port: int) -> Server:
    return Server(
        asgi,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        backlog=BACKLOG,
        backpressure=REQUESTS_AT_ONCE,
        http1_settings=HTTP1Settings(max_buffer_size=MAX_HEADER_BYTES),
        log_level=LogLevels.error,
        log_dictconfig={
            "formatters": {},
            "handlers": {},
            "loggers": {"_granian": {"propagate": True}, "granian.access": {"propagate": False}},
        },
    )


def _refuse_taken_port(host: str, port: int) -> None:
    """The server itself shares its port with others like it, so it would not notice."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as refusal:
        raise CannotStart(f"cannot listen on {host} port {port}: {refusal.strerror}") from None
