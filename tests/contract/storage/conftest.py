"""One suite over both databases: every test gets a fresh, migrated one and a store on it."""

from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

import pytest

from assistant.domain.records import Bump
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import Seed
from tests.support.databases import PostgresAbsent, PostgresServer, postgres_server, sqlite_files

SQLITE = "sqlite"
POSTGRESQL = "postgresql"


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    try:
        with postgres_server() as server:
            yield server
    except PostgresAbsent as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="session")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], str]:
    return sqlite_files(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def url(request: pytest.FixtureRequest) -> str:
    """The URL of a migrated database without any row; `only_on(...)` narrows the kinds."""
    if request.param == SQLITE:
        return request.getfixturevalue("sqlite")()
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.url(server.emptied())


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def own_url(request: pytest.FixtureRequest) -> str:
    """The same, for a test that changes the schema: nobody else uses this database."""
    if request.param == SQLITE:
        return request.getfixturevalue("sqlite")()
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.url(server.create())


@pytest.fixture
def announced() -> list[list[Bump]]:
    """What the store announced, one list a commit."""
    return []


@pytest.fixture
async def store(url: str, announced: list[list[Bump]]) -> AsyncGenerator[SqlStore]:
    async def announce(bumps: list[Bump]) -> None:
        announced.append(bumps)

    store = SqlStore(url, announce=announce)
    yield store
    await store.close()


@pytest.fixture
def seed(store: SqlStore) -> Seed:
    return Seed(store)


def only_on(*kinds: str) -> Any:
    """Mark a test for some kinds of database."""
    return pytest.mark.parametrize("url", kinds, indirect=True)
