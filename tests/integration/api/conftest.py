"""A scripted provider, and the API over real services in this process."""

from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path

import pytest

from tests.integration.api.in_process import ApiInProcess, api_in_process
from tests.support.databases import sqlite_files
from tests.support.llm_server import ScriptedProvider


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
