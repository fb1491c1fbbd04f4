"""The tables around a conversation: files, what waits, drafts, notes, shares, summaries, links."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Text, UniqueConstraint, text
from sqlmodel import Field

from assistant.storage.columns import JSON_OR_NULL, Row, UtcTime

NOT_REVOKED = text("revoked_at IS NULL")
"""A share that counts. Queries repeat it word for word: only so SQLite uses the partial index."""


class AttachmentRow(Row, table=True):
    """A file by its id; the bytes are elsewhere. `message_id` is empty until it is sent."""

    __tablename__ = "attachment"
    __table_args__ = (
        Index("ix_attachment_session", "session_id"),
        Index("ix_attachment_message", "message_id"),
    )

    id: str = Field(primary_key=True)
    owner_id: str = Field(foreign_key="owner.id")
    session_id: str | None = Field(foreign_key="session.id", ondelete="CASCADE")
    message_id: str | None = Field(foreign_key="message.id", ondelete="CASCADE")
    name: str
    media_type: str
    size: int
    created_at: datetime = Field(sa_type=UtcTime)


class QueuedMessageRow(Row, table=True):
    """A message that waits for its turn; its key is that of the send."""

    __tablename__ = "queued_message"
    __table_args__ = (UniqueConstraint("session_id", "position"),)

    owner_id: str = Field(primary_key=True, foreign_key="owner.id")
    key: str = Field(primary_key=True)
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE")
    text: str = Field(sa_type=Text)
    model: str | None
    parameters: dict[str, Any] | None = Field(sa_type=JSON_OR_NULL)
    position: int
    created_at: datetime = Field(sa_type=UtcTime)
    version: int


class DraftRow(Row, table=True):
    """What an owner has typed in a session and not sent."""

    __tablename__ = "draft"

    session_id: str = Field(primary_key=True, foreign_key="session.id", ondelete="CASCADE")
    owner_id: str = Field(primary_key=True, foreign_key="owner.id")
    text: str = Field(sa_type=Text)
    version: int
    updated_at: datetime = Field(sa_type=UtcTime)


class NoteRow(Row, table=True):
    """Something that an answer wrote down for an owner; one a call."""

    __tablename__ = "note"
    __table_args__ = (UniqueConstraint("owner_id", "call_id"),)

    id: str = Field(primary_key=True)
    owner_id: str = Field(foreign_key="owner.id")
    call_id: str
    title: str = Field(sa_type=Text)
    text: str = Field(sa_type=Text)
    created_at: datetime = Field(sa_type=UtcTime)


class ShareRow(Row, table=True):
    """A link that lets others read a session until it is revoked."""

    __tablename__ = "share"
    __table_args__ = (
        Index("ix_share_session", "session_id"),
        Index(
            "uq_share_session",
            "session_id",
            unique=True,
            sqlite_where=NOT_REVOKED,
            postgresql_where=NOT_REVOKED,
        ),
    )

    id: str = Field(primary_key=True)
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE")
    owner_id: str = Field(foreign_key="owner.id")
    with_arguments: bool
    version: int
    created_at: datetime = Field(sa_type=UtcTime)
    revoked_at: datetime | None = Field(sa_type=UtcTime)


class SummaryRow(Row, table=True):
    """What a model wrote of the messages up to and with one. What it is based on may be gone."""

    __tablename__ = "summary"
    __table_args__ = (Index("ix_summary_session", "session_id"),)

    id: str = Field(primary_key=True)
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE")
    through_id: str = Field(foreign_key="message.id", ondelete="CASCADE", unique=True)
    based_on: str | None
    text: str = Field(sa_type=Text)
    model: str | None
    created_at: datetime = Field(sa_type=UtcTime)


class DeviceLinkRow(Row, table=True):
    """A code that brings its owner to another device, by its digest."""

    __tablename__ = "device_link"
    __table_args__ = (
        Index("ix_device_link_owner", "owner_id", "id"),
        Index("ix_device_link_expiry", "expires_at"),
    )

    id: str = Field(primary_key=True)
    owner_id: str = Field(foreign_key="owner.id")
    digest: str = Field(unique=True)
    created_at: datetime = Field(sa_type=UtcTime)
    expires_at: datetime = Field(sa_type=UtcTime)
    used_at: datetime | None = Field(sa_type=UtcTime)
    used_on: str | None
