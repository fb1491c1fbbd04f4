"""What the packages of these tests share: an app before the scripted provider, and a look at both."""

import sqlite3
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from tests.support.app_under_test import AppUnderTest
from tests.support.llm_server import Call

TRUE_WITHIN_SECONDS = 5.0
"""How long after a kill, or after the start when the only process died, the task has to be true."""


@contextmanager
def app_before(port: int, environment: Mapping[str, str]) -> Generator[AppUnderTest]:
    """An app, not started yet, whose provider listens on `port`; it is ended with the block."""
    app = AppUnderTest(
        {
            "ASSISTANT_MODEL_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "ASSISTANT_MODEL_NAME": "scripted",
            **environment,
        }
    )
    try:
        yield app
    finally:
        app.close()


def said_to(call: Call) -> list[tuple[str, str]]:
    """What a call told the provider: (role, text), oldest first."""
    return [(turn["role"], turn["content"]) for turn in call.body["messages"]]


@contextmanager
def locked(app: AppUnderTest) -> Generator[None]:
    """Nobody else writes to the app's SQLite file meanwhile."""
    connection = sqlite3.connect(app.data_dir / "assistant.db", isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")
    finally:
        connection.close()
