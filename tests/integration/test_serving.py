"""`python -m assistant serve`: one process, one port, any port, gone when told, refusing clearly."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.support.app_under_test import ROOT, AppUnderTest
from tests.support.eventually import eventually_sync
from tests.support.ports import free_port

GONE_WITHIN_SECONDS = 4.0


@pytest.fixture(scope="module")
def app() -> Iterator[AppUnderTest]:
    with AppUnderTest() as serving:
        yield serving


@pytest.fixture
def mortal() -> Iterator[AppUnderTest]:
    """An app that the test may end."""
    with AppUnderTest() as serving:
        yield serving


def test_page_api_and_worker_are_one_os_process(app: AppUnderTest) -> None:
    assert "text/html" in httpx.get(app.url).headers["content-type"]
    assert httpx.get(f"{app.url}/health").status_code == 200
    assert httpx.get(f"{app.url}/api/openapi.json").status_code == 200

    assert psutil.Process(app.pid).children(recursive=True) == []


def test_the_page_takes_its_urls_from_where_it_was_loaded(app: AppUnderTest) -> None:
    page = httpx.get(app.url).text
    scripts = {part.split('"')[0] for part in page.split("/assets/") if "reflex-env-" in part}
    name = next(script for script in scripts if script.startswith("reflex-env-"))

    script = httpx.get(f"{app.url}/assets/{name}", headers={"accept-encoding": "gzip"}).text

    assert "location.origin" in script
    assert "localhost" not in script


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("own", 101),
        (None, 101),
        ("http://evil.example", 403),
        ("http://localhost:3000", 403),
        ("null", 403),
    ],
)
def test_only_the_pages_own_origin_opens_the_socket(
    app: AppUnderTest, origin: str | None, status: int
) -> None:
    connection, answered = open_socket(app, app.url if origin == "own" else origin)
    connection.close()

    assert answered == status


def test_a_foreign_origin_gets_no_cors_permission(app: AppUnderTest) -> None:
    answer = httpx.get(f"{app.url}/health", headers={"origin": "http://evil.example"})

    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_it_in_time_and_frees_the_port(mortal: AppUnderTest, signal_name: str) -> None:
    tab, _ = open_socket(mortal, mortal.url)
    process = psutil.Process(mortal.pid)

    process.send_signal(signal.Signals[signal_name])

    assert mortal.wait(GONE_WITHIN_SECONDS) == 0
    assert "stopped" in mortal.log
    tab.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(mortal.url)


def test_after_a_kill_the_same_data_and_port_can_be_used_at_once(mortal: AppUnderTest) -> None:
    mortal.kill()

    mortal.restart()

    assert httpx.get(f"{mortal.url}/health").status_code == 200


def test_a_second_process_on_the_same_data_is_refused_and_told_which_setting(
    app: AppUnderTest,
) -> None:
    code, said = refused(["serve", "--port", str(free_port())], app)

    assert code == 1
    assert said.startswith("Cannot start: another process")
    assert "ASSISTANT_REDIS_URL=memory://" in said
    assert "Traceback" not in said


def test_a_worker_under_memory_is_refused_and_told_which_setting(app: AppUnderTest) -> None:
    code, said = refused(["worker"], app)

    assert code == 1
    assert "ASSISTANT_REDIS_URL is memory://" in said
    assert "Traceback" not in said


def test_a_port_in_use_is_refused_in_one_line(app: AppUnderTest) -> None:
    code, said = refused(["serve", "--port", str(app.port)], app)

    assert code == 1
    assert said.splitlines() == [
        f"Cannot start: cannot listen on 127.0.0.1 port {app.port}: Address already in use"
    ]


def test_wrong_settings_are_named_and_exit_with_two(app: AppUnderTest) -> None:
    code, said = refused(["serve"], app, ASSISTANT_BEAT_SECONDS="soon")

    assert code == 2
    assert "ASSISTANT_BEAT_SECONDS" in said
    assert "Traceback" not in said


def test_a_frozen_app_answers_again_when_it_goes_on(mortal: AppUnderTest) -> None:
    mortal.stop_signal()
    with pytest.raises(httpx.TimeoutException):
        httpx.get(f"{mortal.url}/health", timeout=0.3)

    mortal.continue_signal()

    eventually_sync(lambda: httpx.get(f"{mortal.url}/health", verify=False).status_code == 200)


def open_socket(app: AppUnderTest, origin: str | None) -> tuple[socket.socket, int]:
    """Ask for a websocket as a browser would; return the connection and the HTTP status."""
    lines = [
        "GET /_event/?EIO=4&transport=websocket&token=00000000-0000-4000-8000-000000000000 HTTP/1.1",
        f"Host: 127.0.0.1:{app.port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    if origin is not None:
        lines.append(f"Origin: {origin}")
    connection = socket.create_connection(("127.0.0.1", app.port), timeout=10)
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    status_line = connection.recv(4096).split(b"\r\n", 1)[0]
    return connection, int(status_line.split()[1])


def refused(arguments: list[str], app: AppUnderTest, **more: str) -> tuple[int, str]:
    """Run a command in the environment of ``app`` that must end by itself."""
    ended = subprocess.run(
        [sys.executable, "-m", "assistant", *arguments],
        cwd=Path(ROOT),
        env={**app.environment, **more},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.returncode, ended.stderr


def test_local_starts_a_server_that_serve_and_worker_share_and_that_outlives_them(tmp_path: Path) -> None:
    environment = {"ASSISTANT_REDIS_URL": "local://"}
    try:
        with AppUnderTest(environment, data_dir=tmp_path) as app:
            app.worker()
            assert httpx.get(f"{app.url}/health").status_code == 200
        told = _command(tmp_path, "doctor")
        assert "queue and streams" in told
    finally:
        stopped = _command(tmp_path, "stop-valkey")
    assert stopped.strip().endswith("stopped")
    assert _command(tmp_path, "stop-valkey").strip().endswith("none runs")


def _command(data_dir: Path, name: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "assistant", name],
        cwd=ROOT,
        env={**os.environ, "ASSISTANT_REDIS_URL": "local://", "ASSISTANT_DATA_DIR": str(data_dir)},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout
