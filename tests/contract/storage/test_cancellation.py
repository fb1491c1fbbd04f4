"""A writer or reader that is cancelled, at whatever moment, leaves nothing behind that others trip over."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import Engine, event

from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import OWNER, SESSION, Seed, a_message

STATEMENTS = (1, 2)
"""Of a transaction, counted from one; BEGIN is one on SQLite."""


async def test_a_cancelled_writer_rolls_back_and_lets_the_next_one_in(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    inside = asyncio.Event()

    async def hold() -> None:
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
            inside.set()
            await asyncio.Event().wait()

    holder = asyncio.create_task(hold())
    await inside.wait()
    holder.cancel()
    with pytest.raises(asyncio.CancelledError):
        await holder
    async with asyncio.timeout(5), store.write() as unit:
        assert await unit.sessions.bump(SESSION) == 1


async def cancelled_in(nth: int, work: Callable[[], Awaitable[None]]) -> BaseException | None:
    """Run `work`, cancel it while its `nth` statement is on its way, and return how it ended."""
    running = asyncio.ensure_future(work())
    sent = 0

    def count(*_: Any) -> None:
        nonlocal sent
        sent += 1
        if sent == nth:
            running.cancel()

    event.listen(Engine, "before_cursor_execute", count)
    try:
        return (await asyncio.gather(running, return_exceptions=True))[0]
    finally:
        event.remove(Engine, "before_cursor_execute", count)


async def test_a_cancellation_in_any_statement_leaves_a_whole_state_and_no_lock(
    store: SqlStore, seed: Seed
) -> None:
    await seed.session()
    ends = []

    async def write() -> None:
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
            await unit.messages.add(a_message(f"question-{len(ends)}"))

    async def read() -> None:
        async with store.read() as unit:
            await unit.sessions.get(OWNER, SESSION)
            await unit.messages.changed_since(SESSION, 0)

    async with asyncio.timeout(30):
        for nth in STATEMENTS * 4:
            # Every outcome is kept, and with it its traceback and the cursors that this refers to.
            ends.append(await cancelled_in(nth, write))
            ends.append(await cancelled_in(nth, read))
        await write()
    assert all(isinstance(end, asyncio.CancelledError) for end in ends)
    async with store.read() as unit:
        session = await unit.sessions.get(OWNER, SESSION)
        written = await unit.messages.changed_since(SESSION, 0)
    assert session is not None
    assert session.version == len(written) == 1
