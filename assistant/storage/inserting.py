"""INSERT ... ON CONFLICT, which both databases have and SQLAlchemy spells once for each."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Select, Table, TextClause
from sqlalchemy.dialects import postgresql, sqlite

from assistant.storage.transaction import Transaction

Insert = postgresql.Insert | sqlite.Insert


def insert_unless_there(
    transaction: Transaction, table: Table, *unique: Column[Any], where: TextClause | None = None
) -> Insert:
    """An INSERT that changes no row when the unique columns are taken; `where` names a partial index.

    On PostgreSQL it waits for a rival that inserted the same and has not committed yet.
    """
    return _insert(transaction, table).on_conflict_do_nothing(index_elements=unique, index_where=where)


def insert_or_update(
    transaction: Transaction, table: Table, *unique: Column[Any], set_: dict[str, Any]
) -> Insert:
    """An INSERT that updates the row instead when the unique columns are taken."""
    return _insert(transaction, table).on_conflict_do_update(index_elements=unique, set_=set_)


def insert_from(
    transaction: Transaction,
    table: Table,
    columns: Sequence[Column[Any]],
    rows: Select[*tuple[Any, ...]],
    *unique: Column[Any],
    set_: dict[str, Any],
) -> Insert:
    """An INSERT of the rows of a query with a WHERE, without which SQLite takes ON CONFLICT for a join's
    ON; it updates those whose unique columns are taken."""
    insert = _insert(transaction, table).from_select([column.name for column in columns], rows)
    return insert.on_conflict_do_update(index_elements=unique, set_=set_)


def insert_from_unless_there(
    transaction: Transaction,
    table: Table,
    columns: Sequence[Column[Any]],
    rows: Select[*tuple[Any, ...]],
    *unique: Column[Any],
) -> Insert:
    """An INSERT of the rows of a query with a WHERE, as above; none whose unique columns are taken."""
    insert = _insert(transaction, table).from_select([column.name for column in columns], rows)
    return insert.on_conflict_do_nothing(index_elements=unique)


def insert_or_replace_older(
    transaction: Transaction, table: Table, *unique: Column[Any], version: Column[Any]
) -> Insert:
    """An INSERT that takes the place of the row with the same unique columns if its version is lower."""
    insert = _insert(transaction, table)
    others = [column for column in table.c if column not in unique]
    return insert.on_conflict_do_update(
        index_elements=unique,
        set_={column.name: insert.excluded[column.name] for column in others},
        where=version < insert.excluded[version.name],
    )


def _insert(transaction: Transaction, table: Table) -> Insert:
    return postgresql.insert(table) if transaction.locks_rows else sqlite.insert(table)
