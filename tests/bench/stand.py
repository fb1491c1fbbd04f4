"""The bench's stand: the app as processes of its own, a provider beside it, and owners who ask.

embedded   serve, everything in one process
cluster    valkey + serve + workers, one SQLite file
"""

import contextlib
import io
import itertools
import socket
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import psutil

from assistant.domain.transcript import checksum
from tests.bench.thin_client import Answered, Event, Line, line
from tests.support.app_under_test import AppUnderTest, WorkerUnderTest
from tests.support.llm_server import ScriptedProvider
from tests.support.valkey import ValkeyServer

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Owner:
    """Somebody with a cookie, at one server."""

    port: int
    cookie: str

    @property
    def headers(self) -> dict[str, str]:
        """What every request of this owner carries."""
        return {"Cookie": self.cookie}

    def line(self) -> contextlib.AbstractAsyncContextManager[Line]:
        """A new connection."""
        return line(self.port, self.headers)

    async def call(self, method: str, target: str, body: object = None) -> Answered:
        """One request on a connection of its own; raises unless it went well."""
        async with self.line() as opened:
            return well(await opened.call(method, target, body))

    async def send(self, text: str, session_id: str | None = None, *, on: Line | None = None) -> Any:
        """Send a message; returns the ids that it made."""
        body = {"text": text} | ({"session_id": session_id} if session_id else {})
        key = {"Idempotency-Key": f"bench-{next(_numbers)}"}
        if on is not None:
            return well(await on.call("POST", "/api/messages", body, key)).data
        async with self.line() as opened:
            return well(await opened.call("POST", "/api/messages", body, key)).data


@dataclass(slots=True)
class Reader:
    """A reader of one task by the rules of DESIGN 6: what it shows, and how much it was sent."""

    task_id: str
    attempt: int = 0
    text: str = ""
    received: int = 0
    replaced: int = 0
    closed: dict[str, Any] | None = None

    @property
    def target(self) -> str:
        """The stream from where this reader stands, proven by its CRC."""
        return stream_of(self.task_id, len(self.text), self.attempt, checksum(self.text))

    def take(self, event: Event) -> bool:
        """Take an event; True when it carried text."""
        if event.name == "closed":
            self.closed = event.data
        if event.name not in ("text", "replace"):
            return False
        data = event.data
        self.received += len(data["text"])
        if event.name == "replace":
            self.replaced += 1
            self.attempt, self.text = data["attempt"], data["text"]
            return True
        if data["attempt"] > self.attempt:
            self.text = self.text[: data["base"]]
            self.attempt = data["attempt"]
        begin = data["offset"]
        if begin > len(self.text):
            raise AssertionError(f"a hole: at {len(self.text)}, sent from {begin}")
        if data["attempt"] == self.attempt:
            self.text += data["text"][len(self.text) - begin :]
        return True


def stream_of(task_id: str, offset: int, attempt: int, crc: int) -> str:
    """The address of a task's stream for a reader that stands there."""
    return f"/api/tasks/{task_id}/stream?offset={offset}&attempt={attempt}&crc={crc}"


def well(answered: Answered) -> Answered:
    """The answer, if it says that all went well."""
    if answered.status >= 300:
        raise RuntimeError(f"{answered.status}: {answered.body[:300]!r}")
    return answered


class Stand:
    """A running app and its provider."""

    def __init__(self, app: AppUnderTest, workers: list[WorkerUnderTest]) -> None:
        self.app = app
        self.workers = workers

    @property
    def server(self) -> psutil.Process:
        """The process of `serve`."""
        return psutil.Process(self.app.pid)

    async def owner(self) -> Owner:
        """Somebody new."""
        async with line(self.app.port, {}) as opened:
            answered = well(await opened.call("GET", "/api/owner"))
        return Owner(self.app.port, answered.headers["set-cookie"].split(";")[0])

    def cpu_seconds(self) -> float:
        """User and system time of the server so far."""
        times = self.server.cpu_times()
        return times.user + times.system

    def rss_mb(self) -> float:
        """Resident memory of the server."""
        return self.server.memory_info().rss / 1e6


@contextmanager
def embedded(model_url: str, more: Mapping[str, str] | None = None) -> Generator[Stand]:
    """One process that serves and works."""
    with _quiet(AppUnderTest(_environment(model_url, more or {}))) as app:
        yield Stand(app, [])


@contextmanager
def cluster(model_url: str, workers: int, more: Mapping[str, str] | None = None) -> Generator[Stand]:
    """A valkey server, one process that serves, and `workers` that work."""
    with ValkeyServer() as valkey:
        _sync_as_usual(valkey)
        environment = _environment(model_url, {"ASSISTANT_REDIS_URL": valkey.url, **(more or {})})
        with _quiet(AppUnderTest(environment)) as app:
            yield Stand(app, [app.worker() for _ in range(workers)])


@asynccontextmanager
async def scripted(more: Mapping[str, str] | None = None) -> AsyncGenerator[tuple[Stand, ScriptedProvider]]:
    """One process, and the scripted provider in this one."""
    with ScriptedProvider() as provider, embedded(provider.url, more) as stand:
        yield stand, provider


def _sync_as_usual(valkey: ValkeyServer) -> None:
    """Sync the append-only file once a second, as a server does unless told otherwise."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(valkey.socket_path))
        connection.sendall(b"CONFIG SET appendfsync everysec\r\n")
        assert connection.recv(16) == b"+OK\r\n"


def _environment(model_url: str, more: Mapping[str, str]) -> dict[str, str]:
    return {"ASSISTANT_MODEL_BASE_URL": model_url, "ASSISTANT_MODEL_NAME": "scripted", **more}


@contextmanager
def _quiet(app: AppUnderTest) -> Generator[AppUnderTest]:
    """The app started and ended; its output is shown only when something went wrong."""
    try:
        app.start()
        yield app
    except BaseException:
        app.close()
        raise
    else:
        with contextlib.redirect_stdout(io.StringIO()):
            app.close()
