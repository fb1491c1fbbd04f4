"""Column types and checks that mean the same on SQLite and PostgreSQL."""

from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import JSON, CheckConstraint, DateTime, Dialect, MetaData
from sqlalchemy.types import TypeDecorator
from sqlmodel import SQLModel


class Row(SQLModel):
    """A row of a table of ours: the metadata holds these alone, whatever else the process declares."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )


JSON_OR_NULL = JSON(none_as_null=True)
"""Any JSON value; Python's None is SQL's NULL and not the JSON word null."""


class UtcTime(TypeDecorator[datetime]):
    """An aware datetime in UTC with milliseconds; text that sorts on SQLite, timestamptz on PostgreSQL.

    A naive datetime is refused: nobody can say which moment it means.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a time zone")
        moment = value.astimezone(UTC)
        moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    """A check that `column` holds a member of `values`, or NULL where the column allows it."""
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)
