"""Search: entries of titles and messages, what was written before among them; and what an import needs.

The tokens are cut by the same function as ever after. One that cuts them differently needs a migration.
"""

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects.postgresql import TSVECTOR

from assistant.storage.search_index import tokens_for

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

KINDS_BEFORE = (
    *("send", "stop", "retry", "continue", "decision", "upload"),
    *("arrange", "delete", "undo_delete", "release", "rewrite", "run_again", "mark_done"),
    *("share", "unshare"),
)
KINDS = (*KINDS_BEFORE, "import")
BATCH = 1000
TITLES = 2**52
FTS = (
    "CREATE VIRTUAL TABLE search_text USING fts5(tokens, content='search_entry', content_rowid='place',"
    " tokenize='ascii', detail='none', columnsize=0)",
    "CREATE TRIGGER search_entry_added AFTER INSERT ON search_entry BEGIN"
    " INSERT INTO search_text (rowid, tokens) VALUES (new.place, new.tokens); END",
    "CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry BEGIN"
    " INSERT INTO search_text (search_text, rowid, tokens) VALUES ('delete', old.place, old.tokens); END",
    "CREATE TRIGGER search_entry_changed AFTER UPDATE OF tokens ON search_entry BEGIN"
    " INSERT INTO search_text (search_text, rowid, tokens) VALUES ('delete', old.place, old.tokens);"
    " INSERT INTO search_text (rowid, tokens) VALUES (new.place, new.tokens); END",
)

SESSIONS = sa.text(
    "SELECT id, owner_id, title FROM session WHERE id > :after ORDER BY id LIMIT :batch"
).columns(id=sa.String, owner_id=sa.String, title=sa.Text)
MESSAGES = sa.text(
    "SELECT id, session_id, owner_id, text, parts FROM message WHERE id > :after AND (role = 'user' OR"
    " NOT EXISTS (SELECT 1 FROM task WHERE answer_id = message.id AND state NOT IN ('done', 'failed')))"
    " ORDER BY id LIMIT :batch"
).columns(id=sa.String, session_id=sa.String, owner_id=sa.String, text=sa.Text, parts=sa.JSON)


def upgrade() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    op.create_table(
        "search_entry",
        sa.Column(
            "place", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False, autoincrement=True
        ),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=True),
        sa.Column("tokens", sa.Text().with_variant(TSVECTOR(), "postgresql"), nullable=False),
        sa.PrimaryKeyConstraint("place", name=op.f("pk_search_entry")),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_search_entry_owner_id")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["session.id"], name=op.f("fk_search_entry_session_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["message.id"], name=op.f("fk_search_entry_message_id"), ondelete="CASCADE"
        ),
    )
    if on_sqlite:
        for statement in FTS:
            op.execute(statement)
    if not context.is_offline_mode():
        fill()
    unique("uq_search_entry_message", "message_id", "message_id IS NOT NULL")
    unique("uq_search_entry_title", "session_id", "message_id IS NULL")
    op.create_index("ix_search_entry_session", "search_entry", ["session_id"])
    op.create_index("ix_search_entry_owner", "search_entry", ["owner_id", "place"])
    if not on_sqlite:
        op.create_index("ix_search_entry_tokens", "search_entry", ["tokens"], postgresql_using="gin")
    op.add_column("tool_call", sa.Column("imported", sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table("tool_call") as batch:
        batch.alter_column("imported", server_default=None)
    allow_kinds(KINDS)


def downgrade() -> None:
    op.drop_column("tool_call", "imported")
    op.execute("DELETE FROM idempotency_key WHERE kind = 'import'")
    allow_kinds(KINDS_BEFORE)
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE search_text")
    op.drop_table("search_entry")


def fill() -> None:
    """Titles from the oldest session on, messages from the oldest on: ids are minted in that order."""
    entries(SESSIONS, "sessions", lambda row: (TITLES, row.id, None, row.title))
    entries(MESSAGES, "messages", lambda row: (0, row.session_id, row.id, said(row)))


def entries(query, what, entry_of) -> None:  # type: ignore[no-untyped-def]
    """An entry for each row of a query, a batch at a time."""
    connection = op.get_bind()
    as_tsvector = connection.dialect.name == "postgresql"
    tokens = "array_to_tsvector(CAST(:tokens AS text[]))" if as_tsvector else ":tokens"
    add = sa.text(
        "INSERT INTO search_entry (place, owner_id, session_id, message_id, tokens)"
        f" VALUES (:place, :owner, :session, :message, {tokens})"
    )
    last, done = "", 0
    while rows := connection.execute(query, {"after": last, "batch": BATCH}).all():
        found = []
        for number, row in enumerate(rows, done + 1):
            base, session_id, message_id, text = entry_of(row)
            cut = tokens_for(row.owner_id, text, title=message_id is None)
            found.append(
                {
                    "place": base + number,
                    "owner": row.owner_id,
                    "session": session_id,
                    "message": message_id,
                    "tokens": cut if as_tsvector else " ".join(cut),
                }
            )
        connection.execute(add, found)
        last, done = rows[-1].id, done + len(rows)
        print(f"search: {done} {what} indexed", flush=True)
    if as_tsvector and done:
        connection.execute(sa.text("SELECT setval('search_entry_place_seq', :done)"), {"done": done})


def said(row: sa.Row) -> str:  # type: ignore[type-arg]
    """What is searched in: texts, no reasoning."""
    texts = [row.text[part["start"] : part["end"]] for part in row.parts if part["kind"] == "text"]
    return "\n".join(texts) if row.parts else row.text


def unique(name: str, column: str, where: str) -> None:
    op.create_index(
        name,
        "search_entry",
        [column],
        unique=True,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )


def allow_kinds(kinds: tuple[str, ...]) -> None:
    """SQLite cannot alter a check: there the table, to which none refers, is built anew."""
    name = op.f("ck_idempotency_key_kind")
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    with op.batch_alter_table("idempotency_key") as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"kind IN ({listed})")
