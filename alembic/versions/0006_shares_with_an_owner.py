"""Shares: whose, with what, until when, one a session; and their two wishes.

Nothing wrote to the table of before, so it is made anew.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

KINDS_BEFORE = (
    *("send", "stop", "retry", "continue", "decision", "upload"),
    *("arrange", "delete", "undo_delete", "release", "rewrite", "run_again", "mark_done"),
)
KINDS = (*KINDS_BEFORE, "share", "unshare")
NOT_REVOKED = sa.text("revoked_at IS NULL")


def upgrade() -> None:
    op.drop_table("share")
    op.create_table(
        "share",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("with_arguments", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_share")),
        of_session(),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_share_owner_id")),
    )
    op.create_index(
        "uq_share_session",
        "share",
        ["session_id"],
        unique=True,
        sqlite_where=NOT_REVOKED,
        postgresql_where=NOT_REVOKED,
    )
    op.create_index("ix_share_session", "share", ["session_id"])
    allow_kinds(KINDS)


def downgrade() -> None:
    op.execute("DELETE FROM idempotency_key WHERE kind IN ('share', 'unshare')")
    allow_kinds(KINDS_BEFORE)
    op.drop_table("share")
    op.create_table(
        "share",
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("revoked", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token", name=op.f("pk_share")),
        of_session(),
    )
    op.create_index("ix_share_session", "share", ["session_id"])


def of_session() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["session_id"], ["session.id"], name=op.f("fk_share_session_id"), ondelete="CASCADE"
    )


def allow_kinds(kinds: tuple[str, ...]) -> None:
    """SQLite cannot alter a check: there the table, to which none refers, is built anew."""
    name = op.f("ck_idempotency_key_kind")
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    with op.batch_alter_table("idempotency_key") as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"kind IN ({listed})")
