"""Summaries of earlier messages with the wish that ends one, and where a session's title comes from.

The titles of before are settled: who gave them is not known any more.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

KINDS_BEFORE = (
    *("send", "stop", "retry", "continue", "decision", "upload"),
    *("arrange", "delete", "undo_delete", "release", "rewrite", "run_again", "mark_done"),
    *("share", "unshare", "import"),
)
KINDS = (*KINDS_BEFORE, "delete_summary")


def upgrade() -> None:
    op.create_table(
        "summary",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("through_id", sa.String(), nullable=False),
        sa.Column("based_on", sa.String(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summary")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name=op.f("fk_summary_session_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["through_id"], ["message.id"], name=op.f("fk_summary_through_id"), ondelete="CASCADE"
        ),
        sa.UniqueConstraint("through_id", name=op.f("uq_summary_through_id")),
    )
    op.create_index("ix_summary_session", "summary", ["session_id"])
    op.add_column("session", sa.Column("title_from", sa.String(), nullable=True))
    allow_kinds(KINDS)


def downgrade() -> None:
    op.execute("DELETE FROM idempotency_key WHERE kind = 'delete_summary'")
    allow_kinds(KINDS_BEFORE)
    op.drop_column("session", "title_from")
    op.drop_table("summary")


def allow_kinds(kinds: tuple[str, ...]) -> None:
    """SQLite cannot alter a check: there the table, to which none refers, is built anew."""
    name = op.f("ck_idempotency_key_kind")
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    with op.batch_alter_table("idempotency_key") as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"kind IN ({listed})")
