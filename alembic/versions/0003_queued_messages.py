"""Messages that wait for their turn, the state of their keys, and the wish that sends the next one."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

KINDS_BEFORE = (
    *("send", "stop", "retry", "continue", "decision", "upload"),
    *("arrange", "delete", "undo_delete"),
)
STATES_BEFORE = ("accepted", "withdrawn")


def upgrade() -> None:
    op.create_table(
        "queued_message",
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("parameters", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_queued_message_owner_id")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name=op.f("fk_queued_message_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("owner_id", "key", name=op.f("pk_queued_message")),
        sa.UniqueConstraint("session_id", "position", name=op.f("uq_queued_message_session_id_position")),
    )
    allow((*KINDS_BEFORE, "release"), ("accepted", "queued", "withdrawn"))


def downgrade() -> None:
    # A send that waits was never carried out, and nothing is left that would.
    op.execute("UPDATE idempotency_key SET state = 'withdrawn', result = NULL WHERE state = 'queued'")
    op.execute("DELETE FROM idempotency_key WHERE kind = 'release'")
    allow(KINDS_BEFORE, STATES_BEFORE)
    op.drop_table("queued_message")


def allow(kinds: tuple[str, ...], states: tuple[str, ...]) -> None:
    """SQLite cannot alter a check: there the table, to which none refers, is built anew."""
    with op.batch_alter_table("idempotency_key") as batch:
        for column, values in (("kind", kinds), ("state", states)):
            name = op.f(f"ck_idempotency_key_{column}")
            listed = ", ".join(f"'{value}'" for value in values)
            batch.drop_constraint(name, type_="check")
            batch.create_check_constraint(name, f"{column} IN ({listed})")
