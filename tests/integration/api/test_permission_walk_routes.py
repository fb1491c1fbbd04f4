"""The permission walk over HTTP: every route, asked by another owner and by nobody for an owner's things.

A foreign id is answered like an unknown one: by status, headers, body and the very statements that the
database was asked. Nothing of the owner's changes, nobody is rung, and no word of theirs is told.
"""

import httpx
import pytest

from tests.contract.storage.statements import statements
from tests.integration.api.walk_estate import FOREIGNER, OWNER, SECRET, Estate, Things
from tests.integration.api.walk_mounted import routes, the_asgi
from tests.integration.api.walk_routes import ROUTES, Call

pytestmark = pytest.mark.timeout(300)
"""Hundreds of requests, and the whole app with its pages before the first."""

_VARY = ("date", "x-request-id")
_ONE_REQUEST = 30.0

Answer = tuple[int, list[tuple[str, str]], str, list[str]]


def test_every_route_of_the_server_is_walked() -> None:
    """Item 4 of the step: a route that is added tomorrow is asked by a foreigner, or this is red."""
    enumerated, walked = routes(), set(ROUTES)
    assert enumerated - walked == set(), (
        "New routes: add a row for each to ROUTES in walk_routes.py, whose docstring says how; "
        f"{sorted(enumerated - walked)}"
    )
    assert walked - enumerated == set(), "rows of routes that are gone"


def test_a_row_names_an_id_wherever_its_route_takes_one() -> None:
    for route, calls in ROUTES.items():
        assert "{id}" not in route or all("{" in call.path for call in calls), route


async def test_a_foreign_owner_is_answered_as_for_an_unknown_id(estate: Estate) -> None:
    """Cases B185, B186, B187."""
    nobodys, before, logs = estate.nobodys(), estate.rows(), await estate.logs()
    answers: dict[tuple[str, str], Answer] = {}
    async with _client(estate.cookie_of(FOREIGNER)) as foreigner:
        for kind, theirs in estate.things.items():
            for method, call in _calls(theirs):
                foreign = await _answer(foreigner, method, call, theirs)
                if (unknown := answers.get((method, str(call)))) is None:
                    unknown = await _answer(foreigner, method, call, nobodys)
                    answers[method, str(call)] = unknown

                assert foreign[0] == call.sees, (kind, method, call, foreign)
                assert foreign == unknown, (kind, method, call)
    _kept_nothing_of_the_owners(estate)
    assert estate.rung() == []
    assert (estate.rows(), await estate.logs()) == (before, logs)


async def test_nobody_is_told_that_there_is_no_owner_and_nothing_else(estate: Estate) -> None:
    """Cases B185, B186, B187."""
    nobodys, before, logs = estate.nobodys(), estate.rows(), await estate.logs()
    answers: dict[tuple[str, str], Answer] = {}
    for kind, theirs in estate.things.items():
        for method, call in _calls(theirs):
            async with _client("") as nobody:
                real = await _answer(nobody, method, call, theirs)
            if (unknown := answers.get((method, str(call)))) is None:
                async with _client("") as nobody:
                    unknown = answers[method, str(call)] = await _answer(nobody, method, call, nobodys)

            assert real[0] == call.nobody, (kind, method, call, real)
            assert real == unknown, (kind, method, call)
            assert real[3] == [] or call.nobody != 401, "it asked the store before it asked who calls"
    assert estate.rung() == []
    assert (estate.rows(), await estate.logs()) == (before, logs)


async def test_the_walk_would_see_a_route_that_forgets_the_owner(estate: Estate) -> None:
    """The owner's own answers differ from those for unknown ids in what the walk compares."""
    theirs = estate.things["parked"]
    async with _client(estate.cookie_of(OWNER)) as owner:
        for path in ("/api/sessions/{session_id}", "/api/tasks/{task_id}", "/api/requests/{key}"):
            real = await _answer(owner, "GET", Call(path), theirs, quiet=False)
            assert real[0] == 200
            assert real != await _answer(owner, "GET", Call(path), estate.nobodys())
    before = estate.rows()
    logs = await estate.logs()
    async with _client(estate.cookie_of(OWNER)) as owner:
        await owner.patch(f"/api/sessions/{theirs.session_id}", json={"title": "Other"})
        assert estate.rung() == [theirs.session_id, OWNER]
        await owner.post(f"/api/tasks/{theirs.task_id}/stop")
    assert estate.rows() != before
    assert await estate.logs() != logs


async def test_the_owner_goes_on_after_the_walk(estate: Estate) -> None:
    """Case B187: the card still asks, K is 0, and what ran ends whole."""
    running, parked = estate.things["running"], estate.things["parked"]
    async with _client(estate.cookie_of(FOREIGNER)) as foreigner:
        for kind in ("running", "parked"):
            for method, call in _calls(estate.things[kind]):
                await _answer(foreigner, method, call, estate.things[kind])
    assert estate.ledger.times("mail") == 0

    estate.finish()
    await estate.assistant.ended(running.task_id)
    assert await estate.assistant.stored(running.task_id) == f"I know of {SECRET}. And more of {SECRET}."
    async with _client(estate.cookie_of(OWNER)) as owner:
        decided = await owner.post(
            f"/api/tool-calls/{parked.call_id}/decision",
            json={"decision": "approve", "arguments_hash": parked.arguments_hash},
        )
    assert decided.status_code == 200
    await estate.assistant.ended(parked.task_id)
    assert estate.ledger.effects_of(parked.call_id) == 1


def _calls(things: Things) -> list[tuple[str, Call]]:
    """Each call that these things have the ids for; a GET of ours is asked as HEAD too."""
    found = []
    for route, calls in ROUTES.items():
        method = route.partition(" ")[0].replace("MOUNT", "GET")
        for call in calls:
            if not things.call_id and "{call_id}" in call.path:
                continue
            # Asking who one is by HEAD makes nobody an owner.
            headed = route.startswith("GET /api/") and call.path != "/api/owner"
            found += [(method, call), *([("HEAD", call)] if headed else [])]
    return found


def _client(cookie: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=the_asgi()),
        base_url="http://app.test",
        headers={"cookie": f"assistant_owner={cookie}"} if cookie else {},
        timeout=_ONE_REQUEST,
    )


async def _answer(
    client: httpx.AsyncClient, method: str, call: Call, things: Things, *, quiet: bool = True
) -> Answer:
    """All that a caller could tell two answers apart by; and what was asked of the database for it."""
    body = {} if call.json is None else {"json": things.filled(call.json)}
    with statements() as asked:
        answer = await client.request(
            method,
            things.filled(call.path),
            params=things.filled(call.query) or None,
            headers=things.filled(call.headers),
            **body,
        )
    if quiet:
        told = things.unfilled(str(answer.headers) + answer.text)
        assert SECRET not in told, (method, call)
    headers = [(name, _blank(name, value)) for name, value in answer.headers.items() if name not in _VARY]
    text = "" if call.anew else things.unfilled(answer.text)
    sql = [sql for sql, _ in asked if not sql.startswith(_SNAPSHOT)]
    sql = [] if call.anew else sql
    return answer.status_code, headers, text, sql


_SNAPSHOT = "UPDATE task SET text="
"""Written by whatever runs, each second."""


def _blank(name: str, value: str) -> str:
    return "" if name in ("set-cookie", "content-length") else value


def _kept_nothing_of_the_owners(estate: Estate) -> None:
    """No row of the foreigner's came to hold an id of the owner's, but for keys, which are each one's own."""
    mine = "".join(estate.rows_of_foreigner())
    keys = {things.key for things in estate.things.values()}
    assert [each for each in estate.ids() - keys if each in mine] == []
