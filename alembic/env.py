"""How migrations reach the database: by `config.attributes["url"]` if a program gave one, else by settings.

A program that runs migrations keeps its own logging; only the command line takes it from alembic.ini.
"""

import asyncio
from logging.config import fileConfig
from typing import Any

from alembic import context
from sqlalchemy import Connection, text

from assistant.storage.databases import migration_engine
from assistant.storage.schema import metadata
from assistant.storage.tables_search import FTS_TABLE, ONLY_ON

MIGRATION_LOCK = 5_701_001
"""An advisory lock of PostgreSQL; any number that nobody else uses."""


def migrate_offline(url: str) -> None:
    """Write the SQL to the output instead of running it."""
    context.configure(url=url, literal_binds=True, dialect_opts={"paramstyle": "named"}, **options())
    with context.begin_transaction():
        context.run_migrations()


async def migrate(url: str) -> None:
    """Run the migrations in one transaction, one process after the other."""
    engine = migration_engine(url)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(migrate_on)
    finally:
        await engine.dispose()


def migrate_on(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        # Two processes of a deployment may migrate at the same time; SQLite's BEGIN IMMEDIATE sees to it.
        connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
    context.configure(connection=connection, **options())
    with context.begin_transaction():
        context.run_migrations()


def options() -> dict[str, Any]:
    """SQLite cannot alter a column, so there a table is built anew and renamed."""
    return {
        "target_metadata": metadata,
        "render_as_batch": True,
        "compare_type": True,
        "include_name": is_ours,
        "include_object": is_for_this_database,
    }


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Whether a name is compared with the tables: SQLite's full-text index and what it keeps are not."""
    return kind != "table" or not (name or "").startswith(FTS_TABLE)


def is_for_this_database(
    thing: Any, _name: str | None, _kind: str, _reflected: bool, _compared_to: object
) -> bool:
    """Whether a declared thing is one of this kind of database; some say that they are for one alone."""
    dialect = context.get_context().dialect.name
    return thing.info.get(ONLY_ON, dialect) == dialect


def database_url() -> str:
    given = context.config.attributes.get("url")
    if given is not None:
        return str(given)
    from assistant import settings

    return settings.load().database_url


if context.config.config_file_name is not None and "url" not in context.config.attributes:
    fileConfig(context.config.config_file_name, disable_existing_loggers=False)

if context.is_offline_mode():
    migrate_offline(database_url())
else:
    asyncio.run(migrate(database_url()))
