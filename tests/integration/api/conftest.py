"""A scripted provider, the API over real services in this process, and an owner's things for the walk."""

from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path

import pytest

from assistant import bootstrap
from assistant.settings import Settings
from tests.integration.api.in_process import ApiInProcess, api_in_process
from tests.integration.api.walk_estate import Answers, Estate, tools
from tests.integration.api.walk_mounted import KEY
from tests.support.databases import sqlite_files
from tests.support.ledger_tools import Ledger
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import opened
from tests.support.opened_fixtures import QUIET_SECONDS


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], str]:
    return sqlite_files(tmp_path_factory.mktemp("databases"))


@pytest.fixture
def provider() -> Generator[ScriptedProvider]:
    with ScriptedProvider() as provider:
        yield provider


@pytest.fixture
async def api(
    provider: ScriptedProvider, new_database: Callable[[], str], tmp_path: Path
) -> AsyncGenerator[ApiInProcess]:
    async with api_in_process(provider, new_database(), tmp_path) as opened:
        yield opened


@pytest.fixture
async def estate(new_database: Callable[[], str], tmp_path: Path) -> AsyncGenerator[Estate]:
    """The things of an owner, behind the server as it is mounted; nothing beats, nothing moves by itself."""
    ledger, answers = Ledger(), Answers()
    settings = Settings(
        data_dir=tmp_path,
        database_url=new_database(),
        secret_key=KEY,
        beat_seconds=QUIET_SECONDS,
        owner_tasks=1000,
        runner_slots=1000,
        sends_per_minute=0,
        changes_per_minute=0,
        address_changes_per_minute=0,
        owners_per_minute=0,
    )
    async with opened(settings, providers=answers, tools=tools(ledger)) as assistant:
        bootstrap.held.set(assistant.services)
        try:
            yield await Estate(assistant, answers, ledger).build()
        finally:
            bootstrap.held.clear()
