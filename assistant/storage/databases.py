"""Engines by URL: what we ask of each database, and when an error means that it is away (DESIGN 4).

Errors never quote parameters: they are what people wrote.

SQLite has two pools on one file: readers side by side, which cannot write by mistake (`query_only`),
and exactly one writer connection. Writers of this process therefore queue in asyncio, first come first
served, instead of polling the file lock; other processes on the same file wait in `busy_timeout`.

PostgreSQL has one pool. Readers run REPEATABLE READ READ ONLY, writers READ COMMITTED: the row lock of
`bump` puts the writers of a session in order, and each later statement sees what the last one committed.
A pooled connection is tried before it is used (`pool_pre_ping`), so a restarted server heals by itself.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event, exc, make_url
from sqlalchemy.engine import URL, Connection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from assistant.domain.errors import StoreUnavailable
from assistant.storage.sqlite_driver import connect

READERS = 8
"""Connections kept for readers of one process."""

CONNECT_SECONDS = 5
STATEMENT_SECONDS = 30
"""Longer than any statement of ours takes; a server that went silent is away after it."""

POOL_WAIT_SECONDS = 10
BUSY_WAIT_SECONDS = 10

_PATIENCE = f"PRAGMA busy_timeout = {BUSY_WAIT_SECONDS * 1000}"
_PRAGMAS = (
    _PATIENCE,
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
)

_AWAY_SQLSTATES = ("08", "40", "53", "55P03", "57", "58")
"""Connection, rolled back by the server, resources, lock wait, shut down, system: it may work later."""


class Engines:
    """The two ways into one database; nothing is opened before the first transaction."""

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        self.read, self.write = (
            _sqlite(parsed) if parsed.get_backend_name() == "sqlite" else _postgresql(parsed)
        )

    async def close(self) -> None:
        """Close the pooled connections; a later transaction would open new ones."""
        await self.read.dispose()
        await self.write.dispose()


@contextmanager
def away_is_unavailable() -> Generator[None]:
    """Turn what a database that is away, or that gave up on a transaction, raises into StoreUnavailable.

    A broken constraint or a broken statement is a defect of ours and passes unchanged.
    """
    try:
        yield
    except exc.TimeoutError as error:
        raise StoreUnavailable("no database connection became free in time") from error
    except exc.DBAPIError as error:
        if _means_away(error):
            raise StoreUnavailable() from error
        raise
    except OSError as error:
        raise StoreUnavailable() from error


def migration_engine(url: str) -> AsyncEngine:
    """An engine for migrations: one connection, and on SQLite a transaction that takes the file at once.

    Foreign keys are not enforced by it on SQLite, where a migration builds a table anew and renames it.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite_engine(parsed, begin="BEGIN IMMEDIATE", size=1, pragmas=(_PATIENCE,))
    return create_async_engine(parsed, pool_size=1)


def _sqlite(url: URL) -> tuple[AsyncEngine, AsyncEngine]:
    return (
        _sqlite_engine(url, begin="BEGIN", size=READERS, pragmas=(*_PRAGMAS, "PRAGMA query_only = ON")),
        _sqlite_engine(url, begin="BEGIN IMMEDIATE", size=1, pragmas=_PRAGMAS),
    )


def _sqlite_engine(url: URL, *, begin: str, size: int, pragmas: tuple[str, ...]) -> AsyncEngine:
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_async_engine(
        url,
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_WAIT_SECONDS,
        # `begun` has committed or rolled back before the connection is given back.
        pool_reset_on_return=None,
        hide_parameters=True,
        connect_args={"async_creator_fn": connect},
    )

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        # The driver's own BEGIN comes only before the first write: two SELECTs would see two commits.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(pragma)
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _postgresql(url: URL) -> tuple[AsyncEngine, AsyncEngine]:
    engine = create_async_engine(
        url,
        pool_size=READERS,
        max_overflow=READERS,
        pool_timeout=POOL_WAIT_SECONDS,
        pool_use_lifo=True,
        pool_pre_ping=True,
        hide_parameters=True,
        isolation_level="READ COMMITTED",
        connect_args={"timeout": CONNECT_SECONDS, "command_timeout": STATEMENT_SECONDS},
    )
    read = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    return read, engine


def _means_away(error: exc.DBAPIError) -> bool:
    if error.connection_invalidated or isinstance(error, exc.InterfaceError):
        return True
    if isinstance(error.orig, sqlite3.OperationalError):
        # A statement that cannot run, or a write in a read; all else is the file, its lock or its disk.
        return error.orig.sqlite_errorcode not in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_READONLY)
    sqlstate = getattr(error.orig, "sqlstate", None)
    return sqlstate is not None and sqlstate.startswith(_AWAY_SQLSTATES)
