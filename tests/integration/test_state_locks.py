"""A tab's lock in Redis: whoever is cancelled while taking it, the next one gets it at once."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from typing import Any

import pytest
from redis.asyncio import Redis
from reflex.istate.manager.redis import StateManagerRedis
from reflex.istate.manager.token import BaseStateToken
from reflex.state import State

from assistant.ui.state_locks import outliving_cancelling
from tests.support.valkey import ValkeyServer

EXPIRES_MS = 60_000
"""Far more than any test waits."""

AT_ONCE_SECONDS = 5.0


@pytest.fixture(scope="module")
def valkey() -> Generator[ValkeyServer]:
    with ValkeyServer(keeps=False) as server:
        yield server


@pytest.fixture
async def manager(valkey: ValkeyServer) -> AsyncGenerator[StateManagerRedis]:
    redis = Redis.from_url(valkey.url)
    await redis.flushall()
    made = outliving_cancelling(
        StateManagerRedis(redis=redis, token_expiration=60, lock_expiration=EXPIRES_MS)
    )
    assert isinstance(made, StateManagerRedis)
    yield made
    await made.close()


@pytest.fixture
def token() -> BaseStateToken:
    return BaseStateToken(ident="tab", cls=State)


class Gate:
    """Calls `method` of Redis, and keeps what it answered back until it is opened."""

    def __init__(self, redis: Redis, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answered, self._opened = asyncio.Event(), asyncio.Event()
        self._call = getattr(redis, method)
        monkeypatch.setattr(redis, method, self._held)

    async def _held(self, *of: Any, **how: Any) -> Any:
        answer = await self._call(*of, **how)
        self.answered.set()
        await self._opened.wait()
        return answer

    def open(self) -> None:
        self._opened.set()


async def cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def changed(manager: StateManagerRedis, token: BaseStateToken) -> None:
    async with manager.modify_state(token):
        pass


async def test_who_is_cancelled_before_it_heard_that_it_has_the_lock_leaves_it_free(
    manager: StateManagerRedis, token: BaseStateToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(manager.redis, "set", monkeypatch)
    taking = asyncio.create_task(changed(manager, token))
    await gate.answered.wait()
    await cancelled(taking)
    gate.open()
    async with asyncio.timeout(AT_ONCE_SECONDS):
        await changed(manager, token)


async def test_who_is_cancelled_again_while_giving_it_back_leaves_it_free(
    manager: StateManagerRedis, token: BaseStateToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = asyncio.Event()

    async def holding() -> None:
        async with manager.modify_state(token):
            inside.set()
            await asyncio.Event().wait()

    # Redis is asked before it answers, so what is held back here is the question.
    asked, answer = asyncio.Event(), asyncio.Event()
    really = manager.redis.getdel

    async def late(name: bytes) -> Any:
        asked.set()
        await answer.wait()
        return await really(name)

    task = asyncio.create_task(holding())
    await inside.wait()
    monkeypatch.setattr(manager.redis, "getdel", late)
    task.cancel()
    await asked.wait()
    await cancelled(task)
    answer.set()
    async with asyncio.timeout(AT_ONCE_SECONDS):
        await changed(manager, token)


async def test_an_error_of_a_handler_is_raised_and_the_lock_is_free(
    manager: StateManagerRedis, token: BaseStateToken
) -> None:
    with pytest.raises(KeyError):
        async with manager.modify_state(token):
            raise KeyError("of the handler")
    async with asyncio.timeout(AT_ONCE_SECONDS):
        await changed(manager, token)


def test_another_manager_is_left_as_it_is() -> None:
    other: Any = object()
    assert outliving_cancelling(other) is other
