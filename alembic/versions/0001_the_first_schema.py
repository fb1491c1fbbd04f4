"""The first schema: owners, sessions and messages, the tasks that answer them, and what stands around them.

Tables come after those that they refer to. Two partial indexes are rules of the product: one unfinished
task a session, and a client id that is unique by owner for ever.
"""

from enum import Enum

import sqlalchemy as sa
from alembic import op
from sqlalchemy import CheckConstraint, ForeignKeyConstraint, PrimaryKeyConstraint, UniqueConstraint

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


class Of(Enum):
    """The types that occur."""

    STRING = sa.String()
    TEXT = sa.Text()
    INTEGER = sa.Integer()
    BOOLEAN = sa.Boolean()
    JSON = sa.JSON()
    TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "owner",
        column("id"),
        column("kind"),
        column("name", null=True),
        column("created_at", Of.TIME),
        PrimaryKeyConstraint("id", name="pk_owner"),
        one_of("owner", "kind", "anonymous", "named"),
    )
    op.create_table(
        "session",
        column("id"),
        column("owner_id"),
        column("state"),
        column("title"),
        column("model", null=True),
        column("parameters", Of.JSON),
        column("leaf_id", null=True),
        column("version", Of.INTEGER),
        column("created_at", Of.TIME),
        column("updated_at", Of.TIME),
        PrimaryKeyConstraint("id", name="pk_session"),
        refers("session", "owner_id", "owner"),
        one_of("session", "state", "active", "archived", "deleted"),
    )
    op.create_index("ix_session_recent", "session", ["owner_id", "state", "updated_at", "id"])
    op.create_table(
        "message",
        column("id"),
        column("session_id"),
        column("owner_id"),
        column("parent_id", null=True),
        column("role"),
        column("text", Of.TEXT),
        column("parts", Of.JSON),
        column("attachments", Of.JSON),
        column("position", Of.INTEGER),
        column("client_id", null=True),
        column("version", Of.INTEGER),
        column("created_at", Of.TIME),
        PrimaryKeyConstraint("id", name="pk_message"),
        UniqueConstraint("session_id", "position", name="uq_message_session_id_position"),
        refers("message", "session_id", "session", ondelete="CASCADE"),
        refers("message", "owner_id", "owner"),
        refers("message", "parent_id", "message"),
        one_of("message", "role", "user", "assistant"),
    )
    op.create_index("ix_message_siblings", "message", ["parent_id", "session_id"])
    op.create_index("ix_message_changes", "message", ["session_id", "version"])
    partial_index(
        "uq_message_client_id", "message", "owner_id", "client_id", where="client_id IS NOT NULL", unique=True
    )
    op.create_table(
        "task",
        column("id"),
        column("session_id"),
        column("owner_id"),
        column("question_id"),
        column("answer_id"),
        column("state"),
        column("reason", null=True),
        column("attempt", Of.INTEGER),
        column("worker", null=True),
        column("text", Of.TEXT),
        column("parts", Of.JSON),
        column("offset", Of.INTEGER),
        column("prefix", Of.INTEGER),
        column("log_attempt", Of.INTEGER),
        column("log_seq", Of.INTEGER),
        column("stop_requested_at", Of.TIME, null=True),
        column("error_code", null=True),
        column("error_message", null=True),
        column("usage", Of.JSON, null=True),
        column("created_at", Of.TIME),
        column("finished_at", Of.TIME, null=True),
        column("version", Of.INTEGER),
        PrimaryKeyConstraint("id", name="pk_task"),
        refers("task", "session_id", "session", ondelete="CASCADE"),
        refers("task", "owner_id", "owner"),
        refers("task", "question_id", "message", ondelete="CASCADE"),
        refers("task", "answer_id", "message", ondelete="CASCADE"),
        one_of("task", "state", "pending", "streaming", "tool_calling", "awaiting_confirm", "done", "failed"),
        one_of(
            "task",
            "reason",
            *("complete", "length", "stopped", "error", "interrupted", "timeout", "expired"),
        ),
    )
    unfinished = "state NOT IN ('done', 'failed')"
    partial_index("uq_task_unfinished", "task", "session_id", where=unfinished, unique=True)
    partial_index("ix_task_worker", "task", "worker", "created_at", where=unfinished)
    partial_index("ix_task_running", "task", "owner_id", where="worker IS NOT NULL")
    op.create_index("ix_task_answer", "task", ["answer_id", "created_at", "id"])
    op.create_index("ix_task_question", "task", ["question_id", "created_at", "id"])
    op.create_index("ix_task_changes", "task", ["session_id", "version"])
    op.create_table(
        "tool_call",
        column("id"),
        column("task_id"),
        column("step", Of.INTEGER),
        column("name"),
        column("arguments", Of.TEXT),
        column("arguments_hash"),
        column("offset", Of.INTEGER),
        column("state"),
        column("reason", null=True),
        column("result", Of.TEXT, null=True),
        column("needs_decision", Of.BOOLEAN),
        column("decision", null=True),
        column("decision_reason", null=True),
        column("decided_at", Of.TIME, null=True),
        column("decided_by", null=True),
        column("expires_at", Of.TIME, null=True),
        column("retry_of", null=True),
        column("attempt", Of.INTEGER, null=True),
        column("version", Of.INTEGER),
        PrimaryKeyConstraint("id", name="pk_tool_call"),
        refers("tool_call", "task_id", "task", ondelete="CASCADE"),
        one_of("tool_call", "state", "requested", "executing", "completed", "failed"),
        one_of("tool_call", "reason", "error", "timeout", "lost", "denied", "expired", "stopped"),
        one_of("tool_call", "decision", "approve", "deny"),
    )
    op.create_index("ix_tool_call_task", "tool_call", ["task_id", "step", "id"])
    op.create_table(
        "worker",
        column("id"),
        column("beat", Of.INTEGER),
        PrimaryKeyConstraint("id", name="pk_worker"),
    )
    op.create_table(
        "idempotency_key",
        column("owner_id"),
        column("key"),
        column("kind", null=True),
        column("fingerprint", null=True),
        column("state"),
        column("result", Of.JSON, null=True),
        column("expires_at", Of.TIME),
        PrimaryKeyConstraint("owner_id", "key", name="pk_idempotency_key"),
        refers("idempotency_key", "owner_id", "owner"),
        one_of("idempotency_key", "kind", "send", "stop", "retry", "continue", "decision", "upload"),
        one_of("idempotency_key", "state", "accepted", "withdrawn"),
    )
    op.create_index("ix_idempotency_key_expiry", "idempotency_key", ["expires_at"])
    op.create_table(
        "attachment",
        column("id"),
        column("owner_id"),
        column("session_id", null=True),
        column("message_id", null=True),
        column("name"),
        column("media_type"),
        column("size", Of.INTEGER),
        column("created_at", Of.TIME),
        PrimaryKeyConstraint("id", name="pk_attachment"),
        refers("attachment", "owner_id", "owner"),
        refers("attachment", "session_id", "session", ondelete="CASCADE"),
        refers("attachment", "message_id", "message", ondelete="CASCADE"),
    )
    op.create_index("ix_attachment_session", "attachment", ["session_id"])
    op.create_index("ix_attachment_message", "attachment", ["message_id"])
    op.create_table(
        "draft",
        column("session_id"),
        column("owner_id"),
        column("text", Of.TEXT),
        column("version", Of.INTEGER),
        column("updated_at", Of.TIME),
        PrimaryKeyConstraint("session_id", "owner_id", name="pk_draft"),
        refers("draft", "session_id", "session", ondelete="CASCADE"),
        refers("draft", "owner_id", "owner"),
    )
    op.create_table(
        "share",
        column("token"),
        column("session_id"),
        column("revoked", Of.BOOLEAN),
        column("created_at", Of.TIME),
        PrimaryKeyConstraint("token", name="pk_share"),
        refers("share", "session_id", "session", ondelete="CASCADE"),
    )
    op.create_index("ix_share_session", "share", ["session_id"])


def downgrade() -> None:
    for table in ("share", "draft", "attachment", "idempotency_key", "worker"):
        op.drop_table(table)
    for table in ("tool_call", "task", "message", "session", "owner"):
        op.drop_table(table)


def column(name: str, of: Of = Of.STRING, *, null: bool = False) -> sa.Column:
    return sa.Column(name, of.value, nullable=null)


def refers(table: str, name: str, to: str, ondelete: str | None = None) -> ForeignKeyConstraint:
    return ForeignKeyConstraint([name], [f"{to}.id"], name=op.f(f"fk_{table}_{name}"), ondelete=ondelete)


def one_of(table: str, name: str, *values: str) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{name} IN ({listed})", name=op.f(f"ck_{table}_{name}"))


def partial_index(name: str, table: str, *columns: str, where: str, unique: bool = False) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
