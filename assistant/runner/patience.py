"""What is tried again while the store is away: for what nobody else has heard."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import TypeVar

import structlog

from assistant.domain.errors import StoreUnavailable
from assistant.domain.store_ports import Unit

RETRY_SECONDS = 0.5
RETRIES = 120
"""About a minute."""

T = TypeVar("T")

_log = structlog.get_logger(__name__)


async def patiently(
    begin: Callable[[], AbstractAsyncContextManager[Unit]],
    body: Callable[[Unit], Awaitable[T]],
    **ids: object,
) -> T:
    """Run `body` in a transaction, anew each time the store is away; StoreUnavailable after about a minute.

    A commit whose reply was lost is done again: `body` has to bear that. `ids` go into the log.
    """
    for _ in range(RETRIES):
        with suppress(StoreUnavailable):
            async with begin() as unit:
                return await body(unit)
        await _pause(ids)
    raise StoreUnavailable()


async def entered(
    stack: AsyncExitStack, begin: Callable[[], AbstractAsyncContextManager[T]], **ids: object
) -> T:
    """Enter a context onto `stack`, tried as `patiently` tries."""
    for _ in range(RETRIES):
        with suppress(StoreUnavailable):
            return await stack.enter_async_context(begin())
        await _pause(ids)
    raise StoreUnavailable()


async def _pause(ids: dict[str, object]) -> None:
    _log.warning("the store is away; trying on", **ids)
    await asyncio.sleep(RETRY_SECONDS)
