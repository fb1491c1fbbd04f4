"""The app as its own processes, and a scripted provider of each test's own behind them.

Each package of tests has a fixture `serving`: one app, kept for all its tests, which may kill it.
"""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.e2e.http.stage import end_what_runs
from tests.support.app_under_test import AppUnderTest
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider
from tests.support.ports import free_port


@pytest.fixture(scope="session")
def provider_port() -> int:
    """Where the provider of every test listens, since a running app knows one address."""
    return free_port()


@pytest.fixture
def provider(provider_port: int) -> Iterator[ScriptedProvider]:
    """A provider without scripts, calls or connections of an earlier test."""
    with ScriptedProvider(port=provider_port) as scripted:
        yield scripted


@pytest.fixture
def app(serving: AppUnderTest, provider: ScriptedProvider) -> Iterator[AppUnderTest]:
    """The package's app, up: a test that killed it need not start it again."""
    if not serving.running:
        serving.start()
    yield serving
    end_what_runs(serving, provider)


@pytest.fixture
async def ada(app: AppUnderTest) -> AsyncIterator[ApiClient]:
    """A new owner, who has nothing yet."""
    async with ApiClient(app.url) as client:
        yield client
