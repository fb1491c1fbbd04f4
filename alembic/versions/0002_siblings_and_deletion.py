"""Sessions that can be deleted and undone, the branch that was chosen last, and the keys of those wishes.

Columns are added in place, for a table that SQLite builds anew takes its children with it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KINDS_BEFORE = ("send", "stop", "retry", "continue", "decision", "upload")
KINDS = (*KINDS_BEFORE, "arrange", "delete", "undo_delete")

deleted = sa.text("deleted_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("session", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index(
        "ix_session_deleted", "session", ["deleted_at"], sqlite_where=deleted, postgresql_where=deleted
    )
    op.add_column("message", sa.Column("chosen", sa.Integer(), nullable=True))
    allow_kinds(KINDS)


def downgrade() -> None:
    op.execute("DELETE FROM session WHERE state = 'deleted'")
    op.execute("DELETE FROM idempotency_key WHERE kind IN ('arrange', 'delete', 'undo_delete')")
    allow_kinds(KINDS_BEFORE)
    op.drop_column("message", "chosen")
    op.drop_index("ix_session_deleted", "session")
    op.drop_column("session", "deleted_at")


def allow_kinds(kinds: tuple[str, ...]) -> None:
    """SQLite cannot alter a check: there the table, to which none refers, is built anew."""
    name = op.f("ck_idempotency_key_kind")
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    with op.batch_alter_table("idempotency_key") as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"kind IN ({listed})")
