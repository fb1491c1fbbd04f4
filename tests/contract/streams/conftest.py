"""The stream suite over both servers: burner-redis in this process, and valkey on a unix socket."""

import itertools
from collections.abc import AsyncGenerator, Callable, Generator

import pytest

from assistant.streams.connection import Client, connect, disconnect
from assistant.streams.log import RedisLog
from tests.contract.streams.timers import HandTimers
from tests.support.valkey import ValkeyServer

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def shared_valkey() -> Generator[ValkeyServer]:
    """One server for all tests that only need their own keys."""
    with ValkeyServer(keeps=False) as server:
        yield server


@pytest.fixture
def valkey() -> Generator[ValkeyServer]:
    """A server of this test's own, to be killed."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture(params=["memory", "valkey"])
def url(request: pytest.FixtureRequest) -> str:
    if request.param == "memory":
        return "memory://"
    return request.getfixturevalue("shared_valkey").url


@pytest.fixture
async def client(url: str) -> AsyncGenerator[Client]:
    client = connect(url)
    yield client
    await disconnect(client)


@pytest.fixture
def log(client: Client) -> RedisLog:
    return RedisLog(client)


@pytest.fixture
def new_id() -> Callable[[], str]:
    """Ids that no other test uses, since the server is shared."""
    return lambda: f"id-{next(_numbers)}"


@pytest.fixture
def task_id(new_id: Callable[[], str]) -> str:
    return new_id()


@pytest.fixture
def timers() -> HandTimers:
    return HandTimers()
