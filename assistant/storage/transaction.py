"""One transaction: how it begins and ends, and how the repositories run a statement in it."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy.engine import Row
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.sql import Executable

from assistant.domain.records import Bump
from assistant.storage.databases import away_is_unavailable

T = TypeVar("T")
Values = dict[str, Any] | list[dict[str, Any]]


class Transaction:
    """Runs statements on one connection; every method raises StoreUnavailable when the database is away.

    `bumped` holds the sessions whose version this transaction raised, by session id.
    """

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self.bumped: dict[str, Bump] = {}

    @property
    def locks_rows(self) -> bool:
        """True where two writers may run at the same time, so that a row may have to be locked."""
        return self._connection.dialect.name != "sqlite"

    async def rows(self, statement: Executable, values: dict[str, Any] | None = None) -> list[Row[Any]]:
        """All rows of a statement."""
        return list((await self.run(self._connection.execute(statement, values))).all())

    async def row(self, statement: Executable, values: dict[str, Any] | None = None) -> Row[Any] | None:
        """The first row, or None; ask for one row at most."""
        return (await self.run(self._connection.execute(statement, values))).first()

    async def changed(self, statement: Executable, values: Values | None = None) -> int:
        """How many rows a write changed."""
        return (await self.run(self._connection.execute(statement, values))).rowcount

    async def run(self, step: Coroutine[Any, Any, T]) -> T:
        """Await a step of the connection.

        On SQLite a cancellation waits until the step is over. A step that was left alone goes on in the
        driver's thread, and its half-read cursor would keep the file locked for as long as anybody keeps
        the traceback. PostgreSQL's driver tells the server to give up.
        """
        with away_is_unavailable():
            return await (step if self.locks_rows else _to_its_end(step))


@asynccontextmanager
async def begun(engine: AsyncEngine) -> AsyncGenerator[Transaction]:
    """A transaction that commits at a clean exit and is rolled back at any error or cancellation."""
    with away_is_unavailable():
        connection = await engine.connect()
    try:
        transaction = Transaction(connection)
        await transaction.run(_begin(connection))
        yield transaction
        await transaction.run(connection.commit())
    finally:
        # Rolls back what was not committed; shielded, so that the connection is always given back.
        await connection.__aexit__(None, None, None)


async def _begin(connection: AsyncConnection) -> None:
    await connection.begin()


async def _to_its_end(step: Coroutine[Any, Any, T]) -> T:
    running = asyncio.ensure_future(step)
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait((running,))
        except asyncio.CancelledError as wish:
            cancelled = wish
    if cancelled is None:
        return running.result()
    if not running.cancelled():
        # Looked at, so that nobody reports it as lost: the caller is gone.
        running.exception()
    raise cancelled
