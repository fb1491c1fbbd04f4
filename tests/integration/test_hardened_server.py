"""The server as a whole refuses what nobody needs: ways in that are not used, and what is too large."""

import json
import socket
from collections.abc import Iterator
from uuid import uuid4

import httpx
import pytest
from simple_websocket import Client, ConnectionClosed

from tests.support.app_under_test import AppUnderTest

FRAME_CHARACTERS = 1_000_000
"""The longest that the socket takes; a message of the longest kind fits four times."""


@pytest.fixture(scope="module")
def app() -> Iterator[AppUnderTest]:
    with AppUnderTest({"ASSISTANT_OWNER_STREAMS": "1"}) as serving:
        yield serving


class Tab:
    """A socket as a page opens it, down to its namespace."""

    def __init__(self, app: AppUnderTest) -> None:
        address = f"ws://127.0.0.1:{app.port}/_event/?EIO=4&transport=websocket&token={uuid4()}"
        self._socket = Client(address)
        self._until("0")
        self._socket.send("40/_event,")
        self._until("40/_event")

    def lives(self) -> bool:
        """Whether the server still answers on it."""
        try:
            self._socket.send('42/_event,["ping"]')
            return "pong" in self._until('42/_event,["ping"')
        except ConnectionClosed:
            return False

    def send(self, text: str) -> None:
        self._socket.send(text)

    def close(self) -> None:
        self._socket.close()

    def _until(self, begin: str) -> str:
        while True:
            frame = self._socket.receive(timeout=10)
            assert frame is not None, f"no {begin} came"
            if frame == "2":
                self._socket.send("3")
            if str(frame).startswith(begin):
                return str(frame)


@pytest.mark.parametrize("path", ["/_upload", "/_upload/x", "/auth-codespace", "/_all_routes"])
def test_ways_in_of_reflex_that_are_not_used_are_not_there(app: AppUnderTest, path: str) -> None:
    answers = [
        httpx.request(method, f"{app.url}{path}", files={"files": b"x"} if method == "POST" else None)
        for method in ("GET", "POST")
    ]

    assert {answer.status_code for answer in answers} <= {404, 405}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_socket_takes_no_other_transport(app: AppUnderTest, method: str) -> None:
    address = f"{app.url}/_event/?EIO=4&transport=polling"

    assert httpx.request(method, address, headers={"origin": app.url}).status_code == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "null"},
        {"origin": "http://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_a_foreign_page_changes_nothing_with_the_users_cookie(
    app: AppUnderTest, headers: dict[str, str], kind: str
) -> None:
    with httpx.Client(base_url=app.url) as user:
        user.get("/api/owner").raise_for_status()
        more = {**headers, "content-type": kind, "idempotency-key": "k"}
        sent = user.post("/api/messages", content='{"text": "theirs"}', headers=more)
        forgot = user.delete("/api/owner", headers=headers)

        assert (sent.status_code, sent.json()["code"]) == (403, "forbidden_origin")
        assert forgot.status_code == 403
        assert user.get("/api/sessions").json()["sessions"] == []


@pytest.mark.parametrize("name", ["x-http-method-override", "x-http-method", "x-method-override", "_method"])
def test_a_read_stays_a_read_whatever_it_says_it_is(app: AppUnderTest, name: str) -> None:
    with httpx.Client(base_url=app.url) as user:
        before = user.get("/api/owner").json()
        read = user.get("/api/owner", headers={name: "DELETE"}, params={"_method": "DELETE"})

        assert "set-cookie" not in read.headers
        assert read.json() == before


def test_reading_changes_nothing(app: AppUnderTest) -> None:
    with httpx.Client(base_url=app.url) as user:
        user.get("/api/owner")
        for path in (
            "/api/messages",
            "/api/tasks/x/stop",
            "/api/tasks/x/retry",
            "/api/tool-calls/x/decision",
        ):
            assert user.get(path).status_code == 405


def test_one_huge_frame_closes_the_socket_that_sent_it_and_no_other(app: AppUnderTest) -> None:
    other, greedy = Tab(app), Tab(app)
    greedy.send('42/_event,["event",' + json.dumps({"name": "x" * 5 * FRAME_CHARACTERS}) + "]")

    assert not greedy.lives()
    assert other.lives()
    other.close()


def test_a_frame_of_the_longest_message_is_taken(app: AppUnderTest) -> None:
    tab = Tab(app)
    tab.send('42/_event,["event",' + json.dumps({"name": "x" * (FRAME_CHARACTERS - 100)}) + "]")

    assert tab.lives()
    tab.close()


def test_headers_that_never_end_are_refused(app: AppUnderTest) -> None:
    with socket.create_connection(("127.0.0.1", app.port), timeout=10) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n")
        answer = b""
        try:
            for _ in range(64):
                connection.sendall(b"X-Filler: " + b"x" * 16_000 + b"\r\n")
            answer = connection.recv(4096)
        except (ConnectionError, TimeoutError):
            pass

    assert answer == b"" or answer.startswith(b"HTTP/1.1 431") or answer.startswith(b"HTTP/1.1 400")


def test_an_owner_reads_so_many_streams_and_no_more(app: AppUnderTest) -> None:
    with httpx.Client(base_url=app.url) as user:
        user.get("/api/owner")
        sent = user.post("/api/messages", json={"text": "slowly"}, headers={"idempotency-key": "k"}).json()
        address = f"/api/tasks/{sent['task_id']}/stream"
        with user.stream("GET", address) as first:
            second = user.get(address, headers={"accept": "text/event-stream"})
            read = user.get(address, headers={"accept": "application/json"})

            assert first.status_code == 200
            assert (second.status_code, second.json()["code"]) == (429, "rate_limited")
            assert read.status_code == 200
        user.post(f"/api/tasks/{sent['task_id']}/stop")
