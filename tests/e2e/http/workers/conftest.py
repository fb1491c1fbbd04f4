"""A valkey server, one `serve` without a runner, and as many workers as a test wants.

The provider goes on from a prefix.
"""

from collections.abc import Callable, Iterator

import psutil
import pytest
import redis

from tests.e2e.http.stage import app_before
from tests.support.app_under_test import AppUnderTest, WorkerUnderTest
from tests.support.llm_server import ScriptedProvider
from tests.support.valkey import ValkeyServer

OWNER_TASKS = 2

Workers = Callable[[int], list[WorkerUnderTest]]


@pytest.fixture(scope="package")
def valkey() -> Iterator[ValkeyServer]:
    """Kept on disk, so that a restart comes back with everything."""
    with ValkeyServer() as server:
        yield server


@pytest.fixture(scope="package")
def serving(valkey: ValkeyServer, provider_port: int) -> Iterator[AppUnderTest]:
    """`serve` on valkey and SQLite, and no worker yet."""
    environment = {
        "ASSISTANT_REDIS_URL": valkey.url,
        "ASSISTANT_MODEL_CONTINUES_PREFIX": "true",
        "ASSISTANT_OWNER_TASKS": str(OWNER_TASKS),
        "ASSISTANT_DRAIN_SECONDS": "0",
    }
    with app_before(provider_port, environment) as app:
        yield app


@pytest.fixture(scope="package")
def started() -> list[WorkerUnderTest]:
    """Every worker of the package, running or not; the app ends them with itself."""
    return []


@pytest.fixture
def workers(app: AppUnderTest, started: list[WorkerUnderTest]) -> Workers:
    """Have exactly so many workers alive, and return them."""

    def alive(count: int) -> list[WorkerUnderTest]:
        for worker in [worker for worker in started if worker.running][count:]:
            worker.terminate()
        missing = count - sum(worker.running for worker in started)
        for worker in [worker for worker in started if not worker.running][:missing]:
            worker.restart()
        while sum(worker.running for worker in started) < count:
            started.append(app.worker())
        return [worker for worker in started if worker.running]

    return alive


@pytest.fixture
def client(valkey: ValkeyServer) -> Iterator[redis.Redis]:
    """A client of the valkey server."""
    with redis.Redis.from_url(valkey.url) as made:
        yield made


def holder(workers: list[WorkerUnderTest], provider: ScriptedProvider) -> WorkerUnderTest:
    """The worker that has the provider on the line; the other ones never spoke to it in this test."""
    (found,) = [worker for worker in workers if _speaks_to(worker.pid, provider.port)]
    return found


def _speaks_to(pid: int, port: int) -> bool:
    return any(
        line.raddr and line.raddr.port == port and line.status == psutil.CONN_ESTABLISHED
        for line in psutil.Process(pid).net_connections("tcp")
    )
