"""What these tests stand on: the product, open in this process, embedded or over PostgreSQL and valkey."""

from collections.abc import AsyncGenerator, Generator

import pytest

from assistant.settings import Settings
from tests.support.databases import PostgresAbsent, PostgresServer, postgres_server
from tests.support.ledger_tools import Ledger
from tests.support.opened import Assistant, opened
from tests.support.opened_fixtures import QUIET_SECONDS, assistant, provider, quiet, settings, sqlite
from tests.support.valkey import ValkeyServer

__all__ = ["assistant", "provider", "quiet", "settings", "sqlite"]

EMBEDDED = "embedded"
SERVERS = "servers"


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    try:
        with postgres_server() as server:
            yield server
    except PostgresAbsent as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="session")
def valkey() -> Generator[ValkeyServer]:
    with ValkeyServer(keeps=False) as server:
        yield server


@pytest.fixture(params=[EMBEDDED, SERVERS])
def settings_anywhere(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """The settings of one process that works alone, and of one that works beside others."""
    if request.param == EMBEDDED:
        return settings
    server: PostgresServer = request.getfixturevalue("postgres")
    shared: ValkeyServer = request.getfixturevalue("valkey")
    return settings.model_copy(update={"database_url": server.url(server.emptied()), "redis_url": shared.url})


@pytest.fixture
async def anywhere(settings_anywhere: Settings) -> AsyncGenerator[Assistant]:
    """The product in both places."""
    async with opened(settings_anywhere, runner=True) as opening:
        yield opening


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def still(settings: Settings) -> Settings:
    """Beats and passes come only when the test calls them."""
    return settings.model_copy(update={"beat_seconds": QUIET_SECONDS})
