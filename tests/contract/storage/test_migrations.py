"""Migrations build exactly the schema that the tables declare, from nothing, and take it away again."""

import asyncio
import os
import re
import subprocess
import sys
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import create_async_engine

from assistant.storage.schema import metadata
from tests.support.databases import ROOT, migrate, migrations

SQLITE_SCHEMA = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name != 'alembic_version'"
POSTGRESQL_SCHEMA = (
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
    " UNION ALL SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace"
    " UNION ALL SELECT table_name || '.' || column_name, data_type || ' ' || is_nullable"
    " FROM information_schema.columns WHERE table_schema = 'public'"
)


def schema(url: str, *, built_from_tables: bool = False) -> dict[str, Any]:
    """Every table, column, constraint and index, partial conditions included, as the database says it."""

    def read(connection: Connection) -> dict[str, Any]:
        if built_from_tables:
            metadata.drop_all(connection)
            metadata.create_all(connection)
        sqlite = connection.dialect.name == "sqlite"
        rows = connection.execute(text(SQLITE_SCHEMA if sqlite else POSTGRESQL_SCHEMA))
        # The order of the items of a CREATE TABLE means nothing, nor do the quotes of one built anew.
        return {name: sorted(item.strip() for item in _items(sql)) for name, sql in rows}

    async def run() -> dict[str, Any]:
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            found = await connection.run_sync(read)
        await engine.dispose()
        return {name: lines for name, lines in found.items() if "alembic_version" not in name}

    return asyncio.run(run())


def _items(sql: str) -> list[str]:
    return [item for item in re.split(r"[,\n]", sql.replace('"', "")) if item.strip()]


def test_migrations_and_tables_do_not_differ(own_url: str) -> None:
    command.check(migrations(own_url))


def test_migrations_build_every_constraint_and_partial_index_of_the_tables(own_url: str) -> None:
    migrated = schema(own_url)
    assert migrated == schema(own_url, built_from_tables=True)
    assert any("WHERE" in line for line in migrated["uq_task_unfinished"])


def test_migrating_again_changes_nothing(own_url: str) -> None:
    before = schema(own_url)
    migrate(own_url)
    assert schema(own_url) == before


def test_a_downgrade_leaves_nothing_and_the_way_up_is_open(own_url: str) -> None:
    before = schema(own_url)
    command.downgrade(migrations(own_url), "0001")
    command.downgrade(migrations(own_url), "base")
    assert schema(own_url) == {}
    migrate(own_url)
    assert schema(own_url) == before


@pytest.mark.slow
def test_two_processes_may_migrate_at_the_same_time(own_url: str) -> None:
    """By the command line, which takes the URL from the settings."""
    command.downgrade(migrations(own_url), "base")
    upgrade = (sys.executable, "-m", "alembic", "upgrade", "head")
    environment = {**os.environ, "ASSISTANT_DATABASE_URL": own_url}
    started = [
        subprocess.Popen(upgrade, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[1] for process in started]
    assert [process.returncode for process in started] == [0, 0], said
    command.check(migrations(own_url))


@pytest.mark.parametrize("table", sorted(metadata.tables))
def test_every_table_has_a_named_primary_key(table: str) -> None:
    assert metadata.tables[table].primary_key.name == f"pk_{table}"
