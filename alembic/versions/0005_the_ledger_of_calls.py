"""What a call declared, when it ran, how calls are looked for, and three more wishes.

SQLite builds the table anew to take a default away; none refers to it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

KINDS_BEFORE = (
    *("send", "stop", "retry", "continue", "decision", "upload"),
    *("arrange", "delete", "undo_delete", "release"),
)
KINDS = (*KINDS_BEFORE, "rewrite", "run_again", "mark_done")
UNDECIDED = "state = 'requested' AND decision IS NULL AND expires_at IS NOT NULL"


def upgrade() -> None:
    # A call that was stored before there was a runner for it counts as one that must not run twice.
    op.add_column(
        "tool_call", sa.Column("idempotent", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    with op.batch_alter_table("tool_call") as batch:
        batch.alter_column("idempotent", server_default=None)
    op.add_column("tool_call", sa.Column("started_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("tool_call", sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True))
    index("ix_tool_call_retry", "retry_of", "retry_of IS NOT NULL")
    index("ix_tool_call_expiry", "expires_at", UNDECIDED)
    allow_kinds(KINDS)


def downgrade() -> None:
    op.execute("DELETE FROM idempotency_key WHERE kind IN ('rewrite', 'run_again', 'mark_done')")
    allow_kinds(KINDS_BEFORE)
    op.drop_index("ix_tool_call_expiry", "tool_call")
    op.drop_index("ix_tool_call_retry", "tool_call")
    for column in ("finished_at", "started_at", "idempotent"):
        op.drop_column("tool_call", column)


def index(name: str, column: str, where: str) -> None:
    op.create_index(name, "tool_call", [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def allow_kinds(kinds: tuple[str, ...]) -> None:
    """SQLite cannot alter a check: there the table, to which none refers, is built anew."""
    name = op.f("ck_idempotency_key_kind")
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    with op.batch_alter_table("idempotency_key") as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"kind IN ({listed})")
