"""The edge: origins of changes, sizes of bodies, HEAD, defects, and the figures."""

from collections.abc import AsyncIterator

import pytest

from assistant.api.edge import MAX_BODY_BYTES, Edge, is_api
from assistant.api.metrics import Metrics
from tests.unit.api.asgi import Answering, AsgiApp, Receive, Scope, Send, client


def edge(app: AsgiApp, metrics: Metrics | None = None, allowed: tuple[str, ...] = ()) -> Edge:
    return Edge(app, metrics or Metrics(), allowed, two_port_dev=False)


async def in_pieces(size: int) -> AsyncIterator[bytes]:
    piece = b"x" * 65_536
    for begin in range(0, size, len(piece)):
        yield piece[: size - begin]


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_up_to_the_limit_arrives_whole(chunked: bool) -> None:
    app = Answering()
    body = in_pieces(MAX_BODY_BYTES) if chunked else b"x" * MAX_BODY_BYTES
    async with client(edge(app)) as program:
        answer = await program.post("/api/x", content=body)

    assert answer.status_code == 200
    assert app.body == b"x" * MAX_BODY_BYTES


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_beyond_the_limit_is_refused_before_a_route_sees_it(chunked: bool) -> None:
    app = Answering()
    body = in_pieces(MAX_BODY_BYTES + 1) if chunked else b"x" * (MAX_BODY_BYTES + 1)
    async with client(edge(app)) as program:
        answer = await program.post("/api/x", content=body)

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert app.asked == 0


@pytest.mark.parametrize(
    ("method", "origin", "status"),
    [
        ("POST", "http://evil.example", 403),
        ("DELETE", "http://evil.example", 403),
        ("PATCH", "null", 403),
        ("POST", "http://app.test", 200),
        ("POST", "https://app.test", 200),
        ("POST", "https://friend.example", 200),
        ("POST", None, 200),
        ("GET", "http://evil.example", 200),
    ],
)
async def test_only_our_own_pages_change_anything(method: str, origin: str | None, status: int) -> None:
    app = edge(Answering(), allowed=("https://friend.example",))
    async with client(app) as program:
        answer = await program.request(method, "/api/x", headers={"origin": origin} if origin else {})

    assert answer.status_code == status
    assert status == 200 or answer.json()["code"] == "forbidden_origin"


async def test_head_is_get_without_a_body() -> None:
    app = Answering()
    async with client(edge(app)) as program:
        answer = await program.head("/api/x")

    assert app.scope["method"] == "GET"
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.content == b""


async def test_a_defect_answers_500_without_a_word_of_it_and_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("the password is swordfish")

    metrics = Metrics()
    async with client(edge(broken, metrics)) as program:
        answer = await program.get("/api/x")

    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "swordfish" not in answer.text
    assert "swordfish" in caplog.text
    assert 'status="500"' in metrics.as_text().decode()


async def test_an_answer_that_breaks_off_is_not_ended_as_if_it_were_whole() -> None:
    async def breaking(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        raise RuntimeError("in the middle")

    async with client(edge(breaking)) as program:
        with pytest.raises(RuntimeError):
            await program.get("/api/x")


async def test_answers_are_kept_by_nobody_and_taken_for_what_they_say_they_are() -> None:
    async with client(edge(Answering())) as program:
        answer = await program.get("/api/x")

    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_the_page_is_not_touched() -> None:
    app = Answering()
    async with client(edge(app)) as browser:
        answer = await browser.post("/page", content=b"x" * (MAX_BODY_BYTES + 1))

    assert answer.status_code == 200
    assert "cache-control" not in answer.headers


@pytest.mark.parametrize(
    ("path", "ours"),
    [("/api", True), ("/api/x", True), ("/health", True), ("/metrics", True), ("/", False), ("/apis", False)],
)
def test_which_paths_are_the_apis(path: str, ours: bool) -> None:
    assert is_api(path) is ours
