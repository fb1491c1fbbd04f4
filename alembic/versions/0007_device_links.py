"""Codes that bring an owner to another device, and where a decision was made."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "device_link",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("used_on", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_device_link")),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_device_link_owner_id")),
        sa.UniqueConstraint("digest", name=op.f("uq_device_link_digest")),
    )
    op.create_index("ix_device_link_owner", "device_link", ["owner_id", "id"])
    op.create_index("ix_device_link_expiry", "device_link", ["expires_at"])
    op.add_column("tool_call", sa.Column("decided_on", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("tool_call", "decided_on")
    op.drop_table("device_link")
