"""The SQL that a store sends, to count it or to ask how the database would run it."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

Statement = tuple[str, Any]
"""SQL and its parameters."""


@contextmanager
def statements() -> Generator[list[Statement]]:
    """Everything that any engine runs inside the block, but for BEGIN."""
    seen: list[Statement] = []

    def note(_connection: Any, _cursor: Any, sql: str, parameters: Any, *_rest: Any) -> None:
        if not sql.startswith("BEGIN"):
            seen.append((sql, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)
