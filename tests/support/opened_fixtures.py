"""Fixtures around `opened`: a scripted provider, settings over a fresh database, the open product.

A `conftest.py` takes them by importing their names.
"""

from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path

import pytest

from assistant.settings import Settings
from tests.support.databases import sqlite_files
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import Assistant, opened

BEAT_SECONDS = 0.2
"""Beats and reconciler passes, quicker than in life."""

QUIET_SECONDS = 3600.0


@pytest.fixture(scope="session")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], str]:
    """A maker of fresh, migrated SQLite files."""
    return sqlite_files(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture
def provider() -> Generator[ScriptedProvider]:
    """The far side: says what the test scripts."""
    with ScriptedProvider() as scripted:
        yield scripted


@pytest.fixture
def settings(tmp_path: Path, sqlite: Callable[[], str], provider: ScriptedProvider) -> Settings:
    """One process that does everything, on a database of its own."""
    return Settings(
        data_dir=tmp_path / "data",
        database_url=sqlite(),
        model_base_url=provider.url,
        model_name="scripted,other",
        model_titles=False,
        beat_seconds=BEAT_SECONDS,
        owner_tasks=1000,
        runner_slots=1000,
    )


@pytest.fixture
async def assistant(settings: Settings) -> AsyncGenerator[Assistant]:
    """The product, open."""
    async with opened(settings) as opening:
        yield opening


@pytest.fixture
async def quiet(settings: Settings) -> AsyncGenerator[Assistant]:
    """The product, open, whose beats and passes come only when the test calls them."""
    async with opened(settings.model_copy(update={"beat_seconds": QUIET_SECONDS})) as opening:
        yield opening
