"""What the packages of these tests share: an app before the scripted provider, and a look at both."""

import sqlite3
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager

from assistant.domain.task import TASK, TaskState
from tests.support.app_under_test import AppUnderTest
from tests.support.eventually import eventually_sync
from tests.support.llm_server import Call, ScriptedProvider

TRUE_WITHIN_SECONDS = 5.0
"""How long after a kill, or after the start when the only process died, the task has to be true."""

ENDED_WITHIN_SECONDS = 20.0


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


def end_what_runs(app: AppUnderTest, provider: ScriptedProvider) -> None:
    """Leave an app on SQLite nothing that would call the provider in the next test, which counts calls."""
    provider.refuse()
    if "ASSISTANT_DATABASE_URL" in app.environment:
        return
    if unfinished(app) and not app.running:
        app.start()
    eventually_sync(lambda: not unfinished(app), within=ENDED_WITHIN_SECONDS)


def unfinished(app: AppUnderTest) -> list[str]:
    """The tasks that the app has to run, or will have to; those that wait for a person are not among them."""
    rests = ", ".join(f"'{state}'" for state in (*TASK.terminal, TaskState.AWAITING_CONFIRM))
    query = f"SELECT id FROM task WHERE state NOT IN ({rests})"
    with closing(sqlite3.connect(app.data_dir / "assistant.db")) as connection:
        return [task for (task,) in connection.execute(query)]


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
