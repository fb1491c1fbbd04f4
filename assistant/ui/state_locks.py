"""The lock of a tab's states in Redis, which a cancelled handler never leaves behind.

Reflex cancels what a tab runs when it reloads. When that met a handler between asking Redis for the lock and
hearing that it had it, nobody knew any more who held the lock, and the new document waited for its restore
until the lock expired: ten seconds.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from reflex.istate.manager import StateManager
from reflex.istate.manager.redis import StateManagerRedis
from reflex.istate.manager.token import StateToken

T = TypeVar("T")

_running: set[asyncio.Future[Any]] = set()
"""What goes on although its caller was cancelled; the loop itself holds tasks weakly."""


class LocksThatOutliveCancelling(StateManagerRedis):
    """Who is cancelled while taking the lock gives it back once it has it; giving back is always done."""

    @asynccontextmanager
    async def _lock(self, token: StateToken[Any], event_name: str | None = None) -> AsyncGenerator[bytes]:
        held = super()._lock(token, event_name=event_name)
        lock_id = await _to_its_end(held.__aenter__(), undo=lambda: held.__aexit__(None, None, None))
        try:
            yield lock_id
        except BaseException as error:
            # It has to know of a lock that expired meanwhile, and raises the error again itself.
            await _to_its_end(held.__aexit__(type(error), error, error.__traceback__))
            raise
        await _to_its_end(held.__aexit__(None, None, None))


def outliving_cancelling(manager: StateManager) -> StateManager:
    """The same manager, with such locks where its locks are in Redis."""
    if not isinstance(manager, StateManagerRedis):
        return manager
    return LocksThatOutliveCancelling(
        redis=manager.redis,
        token_expiration=manager.token_expiration,
        lock_expiration=manager.lock_expiration,
        lock_warning_threshold=manager.lock_warning_threshold,
    )


async def _to_its_end(step: Awaitable[T], *, undo: Callable[[], Awaitable[Any]] | None = None) -> T:
    """Run `step` whole, though the caller be cancelled meanwhile; what such a step did is undone."""
    task = _kept(step)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if undo is not None:
            _kept(_undone(task, undo))
        raise


async def _undone(task: asyncio.Future[Any], undo: Callable[[], Awaitable[Any]]) -> None:
    await asyncio.wait([task])
    if not task.cancelled() and task.exception() is None:
        await undo()


def _kept(step: Awaitable[Any]) -> asyncio.Future[Any]:
    task = asyncio.ensure_future(step)
    _running.add(task)
    task.add_done_callback(_running.discard)
    return task
