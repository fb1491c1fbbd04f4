"""The table that is searched: one entry a title and one a message, and the full-text index over it.

    PostgreSQL   search_entry.tokens is a tsvector with a GIN index
    SQLite       search_entry.tokens is text, and search_text an FTS5 index over it, kept by triggers

Both get tokens that `domain.search_tokens` cut, each behind a mark of its owner (see `search_index`): so
what one owner has written is no part of another's index.
"""

from typing import Any

from sqlalchemy import DDL, BigInteger, Index, Integer, Text, event, text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlmodel import Field

from assistant.storage.columns import Row

TITLES = 2**52
"""Titles stand at this place and above, messages below it: so titles are found first."""

FTS_TABLE = "search_text"

ONLY_ON = "only_on"
"""Of what is declared for one kind of database: its name, for whoever compares (alembic's env)."""

_A_TITLE = text("message_id IS NULL")
_A_MESSAGE = text("message_id IS NOT NULL")

BUILD_FTS = (
    f"CREATE VIRTUAL TABLE {FTS_TABLE} USING fts5(tokens, content='search_entry', content_rowid='place',"
    " tokenize='ascii', detail='none', columnsize=0)",
    "CREATE TRIGGER search_entry_added AFTER INSERT ON search_entry BEGIN"
    " INSERT INTO search_text (rowid, tokens) VALUES (new.place, new.tokens); END",
    "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry BEGIN"
    " INSERT INTO search_text (search_text, rowid, tokens) VALUES ('delete', old.place, old.tokens); END",
    "CREATE TRIGGER search_entry_changed AFTER UPDATE OF tokens ON search_entry BEGIN"
    " INSERT INTO search_text (search_text, rowid, tokens) VALUES ('delete', old.place, old.tokens);"
    " INSERT INTO search_text (rowid, tokens) VALUES (new.place, new.tokens); END",
)


class SearchEntryRow(Row, table=True):
    """Where a title or a message is found. The newest place is the highest; a title keeps the place that it
    got with its session."""

    __tablename__ = "search_entry"
    __table_args__ = (
        Index(
            "uq_search_entry_message",
            "message_id",
            unique=True,
            sqlite_where=_A_MESSAGE,
            postgresql_where=_A_MESSAGE,
        ),
        Index(
            "uq_search_entry_title",
            "session_id",
            unique=True,
            sqlite_where=_A_TITLE,
            postgresql_where=_A_TITLE,
        ),
        Index("ix_search_entry_session", "session_id"),
        Index("ix_search_entry_owner", "owner_id", "place"),
        Index(
            "ix_search_entry_tokens", "tokens", postgresql_using="gin", info={ONLY_ON: "postgresql"}
        ).ddl_if(dialect="postgresql"),
    )

    place: int = Field(sa_type=BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    owner_id: str = Field(foreign_key="owner.id")
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE")
    message_id: str | None = Field(foreign_key="message.id", ondelete="CASCADE")
    tokens: Any = Field(sa_type=Text().with_variant(TSVECTOR(), "postgresql"), nullable=False)


def _build_with(table: Any) -> None:
    for statement in BUILD_FTS:
        event.listen(table, "after_create", DDL(statement).execute_if(dialect="sqlite"))
    gone = DDL(f"DROP TABLE IF EXISTS {FTS_TABLE}").execute_if(dialect="sqlite")
    event.listen(table, "before_drop", gone)


_build_with(Row.metadata.tables["search_entry"])
