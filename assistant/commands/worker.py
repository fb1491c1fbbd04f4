"""``worker``: run tasks, without a page, for the web processes on the same Redis and database."""

import asyncio

from assistant import bootstrap
from assistant.commands import migrate
from assistant.commands.going_down import Asked, leave, leave_within
from assistant.commands.logs import log
from assistant.commands.refusals import CannotStart
from assistant.settings import Settings

GRACE_SECONDS = 3.0
"""How long a worker may take to leave once its tasks are handed over."""


def run(settings: Settings) -> int:
    """Work until SIGTERM or SIGINT, wait for running tasks, hand over the rest, end the process."""
    if settings.embedded:
        raise CannotStart(
            "a worker beside the web process needs a queue that both can reach, but "
            "ASSISTANT_REDIS_URL is memory://. Set it to a Redis or Valkey server, "
            "or leave the work to `serve`, which runs tasks itself under memory://"
        )
    migrate.upgrade_patiently(settings)
    asyncio.run(_work(settings))
    return 0


async def _work(settings: Settings) -> None:
    asked = Asked()
    async with bootstrap.running(settings, runner=True) as services:
        log.info("working", slots=settings.runner_slots)
        await asked.to_stop()
        leave_within(settings.drain_seconds + GRACE_SECONDS)
        services.refuse_sends()
        await services.hand_over(settings.drain_seconds)
    log.info("stopped")
    leave()
