"""The tables of a conversation and of the work on it, as SQLModel classes (DESIGN 4).

    owner ─┬─▶ session ──▶ message ◀── question, answer ── task ──▶ tool_call
           └─▶ idempotency_key                              └╌╌ worker (by name only: it may be gone)

`session.leaf_id` is not a foreign key: a chosen branch that names nothing is walked around (Case B059).
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Text, UniqueConstraint, text
from sqlmodel import Field

from assistant.domain.message import Role
from assistant.domain.records import KeyState, OwnerKind, WishKind
from assistant.domain.session import SessionState
from assistant.domain.task import TASK, TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCallReason, ToolCallState
from assistant.storage.columns import JSON_OR_NULL, Row, UtcTime, one_of

UNFINISHED = text("state NOT IN ({})".format(", ".join(f"'{s}'" for s in TaskState if s in TASK.terminal)))
"""A task that has not ended. Queries repeat it word for word: only so SQLite uses the partial indexes."""


UNDECIDED = text("state = 'requested' AND decision IS NULL AND expires_at IS NOT NULL")
"""A call that waits for a person, word for word as in its index."""


class OwnerRow(Row, table=True):
    __tablename__ = "owner"
    __table_args__ = (one_of("kind", OwnerKind),)

    id: str = Field(primary_key=True)
    kind: str
    name: str | None
    created_at: datetime = Field(sa_type=UtcTime)


class SessionRow(Row, table=True):
    """`title_from` is empty once the title is settled."""

    __tablename__ = "session"
    __table_args__ = (
        one_of("state", SessionState),
        Index("ix_session_recent", "owner_id", "state", "updated_at", "id"),
        Index(
            "ix_session_deleted",
            "deleted_at",
            sqlite_where=text("deleted_at IS NOT NULL"),
            postgresql_where=text("deleted_at IS NOT NULL"),
        ),
    )

    id: str = Field(primary_key=True)
    owner_id: str = Field(foreign_key="owner.id")
    state: str
    title: str
    model: str | None
    parameters: dict[str, Any] = Field(sa_type=JSON_OR_NULL)
    leaf_id: str | None
    version: int
    created_at: datetime = Field(sa_type=UtcTime)
    updated_at: datetime = Field(sa_type=UtcTime)
    deleted_at: datetime | None = Field(sa_type=UtcTime)
    title_from: str | None


class MessageRow(Row, table=True):
    """`owner_id` repeats the session's, so that a client id can be unique by owner for ever. `chosen` is the
    session's version when the message last became the end of the chosen branch."""

    __tablename__ = "message"
    __table_args__ = (
        one_of("role", Role),
        UniqueConstraint("session_id", "position"),
        Index(
            "uq_message_client_id",
            "owner_id",
            "client_id",
            unique=True,
            sqlite_where=text("client_id IS NOT NULL"),
            postgresql_where=text("client_id IS NOT NULL"),
        ),
        Index("ix_message_siblings", "parent_id", "session_id"),
        Index("ix_message_changes", "session_id", "version"),
    )

    id: str = Field(primary_key=True)
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE")
    owner_id: str = Field(foreign_key="owner.id")
    parent_id: str | None = Field(foreign_key="message.id")
    role: str
    text: str = Field(sa_type=Text)
    parts: list[dict[str, Any]] = Field(sa_type=JSON_OR_NULL)
    attachments: list[str] = Field(sa_type=JSON_OR_NULL)
    position: int
    chosen: int | None
    client_id: str | None
    version: int
    created_at: datetime = Field(sa_type=UtcTime)


class TaskRow(Row, table=True):
    """`text`, `parts` and the log position are the last snapshot while it runs, and empty afterwards."""

    __tablename__ = "task"
    __table_args__ = (
        one_of("state", TaskState),
        one_of("reason", TaskReason),
        Index(
            "uq_task_unfinished",
            "session_id",
            unique=True,
            sqlite_where=UNFINISHED,
            postgresql_where=UNFINISHED,
        ),
        Index(
            "ix_task_worker",
            "worker",
            "created_at",
            sqlite_where=UNFINISHED,
            postgresql_where=UNFINISHED,
        ),
        Index(
            "ix_task_running",
            "owner_id",
            sqlite_where=text("worker IS NOT NULL"),
            postgresql_where=text("worker IS NOT NULL"),
        ),
        Index("ix_task_answer", "answer_id", "created_at", "id"),
        Index("ix_task_question", "question_id", "created_at", "id"),
        Index("ix_task_changes", "session_id", "version"),
    )

    id: str = Field(primary_key=True)
    session_id: str = Field(foreign_key="session.id", ondelete="CASCADE")
    owner_id: str = Field(foreign_key="owner.id")
    question_id: str = Field(foreign_key="message.id", ondelete="CASCADE")
    answer_id: str = Field(foreign_key="message.id", ondelete="CASCADE")
    state: str
    reason: str | None
    attempt: int
    worker: str | None
    text: str = Field(sa_type=Text)
    parts: list[dict[str, Any]] = Field(sa_type=JSON_OR_NULL)
    offset: int
    prefix: int
    log_attempt: int
    log_seq: int
    stop_requested_at: datetime | None = Field(sa_type=UtcTime)
    error_code: str | None
    error_message: str | None
    usage: dict[str, Any] | None = Field(sa_type=JSON_OR_NULL)
    created_at: datetime = Field(sa_type=UtcTime)
    finished_at: datetime | None = Field(sa_type=UtcTime)
    version: int


class ToolCallRow(Row, table=True):
    __tablename__ = "tool_call"
    __table_args__ = (
        one_of("state", ToolCallState),
        one_of("reason", ToolCallReason),
        one_of("decision", Decision),
        Index("ix_tool_call_task", "task_id", "step", "id"),
        Index(
            "ix_tool_call_retry",
            "retry_of",
            sqlite_where=text("retry_of IS NOT NULL"),
            postgresql_where=text("retry_of IS NOT NULL"),
        ),
        Index("ix_tool_call_expiry", "expires_at", sqlite_where=UNDECIDED, postgresql_where=UNDECIDED),
    )

    id: str = Field(primary_key=True)
    task_id: str = Field(foreign_key="task.id", ondelete="CASCADE")
    step: int
    name: str
    arguments: str = Field(sa_type=Text)
    arguments_hash: str
    offset: int
    state: str
    reason: str | None
    result: str | None = Field(sa_type=Text)
    needs_decision: bool
    decision: str | None
    decision_reason: str | None
    decided_at: datetime | None = Field(sa_type=UtcTime)
    decided_by: str | None
    decided_on: str | None
    expires_at: datetime | None = Field(sa_type=UtcTime)
    retry_of: str | None
    attempt: int | None
    idempotent: bool
    started_at: datetime | None = Field(sa_type=UtcTime)
    finished_at: datetime | None = Field(sa_type=UtcTime)
    imported: bool
    version: int


class WorkerRow(Row, table=True):
    __tablename__ = "worker"

    id: str = Field(primary_key=True)
    beat: int


class KeyRow(Row, table=True):
    __tablename__ = "idempotency_key"
    __table_args__ = (
        one_of("kind", WishKind),
        one_of("state", KeyState),
        Index("ix_idempotency_key_expiry", "expires_at"),
    )

    owner_id: str = Field(primary_key=True, foreign_key="owner.id")
    key: str = Field(primary_key=True)
    kind: str | None
    fingerprint: str | None
    state: str
    result: dict[str, Any] | None = Field(sa_type=JSON_OR_NULL)
    expires_at: datetime = Field(sa_type=UtcTime)
