"""Every operation of the document against bad input: a clear 4xx problem, and nothing created."""

import httpx
import pytest

from tests.integration.api.bad_requests import OF_ONE, Bad, bad_for_all
from tests.integration.api.in_process import ApiInProcess
from tests.integration.api.operations import WITHOUT_OWNER, address, operations


async def test_every_operation_of_the_document_is_walked(api: ApiInProcess) -> None:
    assert {operation for operation, _ in operations(api.api)} == set(OF_ONE)


@pytest.mark.parametrize("operation", OF_ONE)
async def test_bad_input_is_refused_clearly_and_creates_nothing(api: ApiInProcess, operation: str) -> None:
    mine = await api.owner()
    sent = await api.send(mine)
    await api.closed(mine, sent["task_id"])
    sent["call_id"] = await api.a_call(sent["task_id"])
    before = api.rows()

    for bad in [*OF_ONE[operation], *bad_for_all(dict(operations(api.api))[operation])]:
        method, path = address(operation, sent, **bad.path)
        answer = await mine.request(
            method, f"{path}?{bad.query}" if bad.query else path, headers=bad.headers, content=bad.body
        )
        is_problem(answer, bad)
        assert api.rows() == before, bad


@pytest.mark.parametrize("operation", sorted(set(OF_ONE) - WITHOUT_OWNER))
async def test_a_call_without_an_owner_is_refused_before_anything_else(
    api: ApiInProcess, operation: str
) -> None:
    method, path = address(operation, {"session_id": "s", "task_id": "t"})

    for headers in ({}, {"cookie": "assistant_owner=forged.value"}, {"authorization": "Bearer forged"}):
        async with api.stranger() as stranger:
            answer = await stranger.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "owner_missing")
        assert "set-cookie" not in answer.headers


async def test_values_are_never_repeated_to_whoever_sent_them(api: ApiInProcess) -> None:
    mine = await api.owner()
    body = {"text": ["swordfish"], "model": {"swordfish": "swordfish"}, "session_id": 5}

    answer = await mine.post("/api/messages", json=body, headers={"idempotency-key": "k"})

    assert {each["field"] for each in answer.json()["errors"]} == {"text", "model", "session_id"}
    assert "swordfish" not in answer.text


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/nope", "/api/owner/", "/api/tasks", "/api//owner"])
async def test_an_unknown_address_is_a_problem_and_not_the_page(api: ApiInProcess, path: str) -> None:
    mine = await api.owner()
    for method in ("GET", "POST", "DELETE", "PATCH", "PUT"):
        is_problem(await mine.request(method, path), Bad("not_found"))


@pytest.mark.parametrize("operation", OF_ONE)
async def test_an_unknown_method_says_which_are_known(api: ApiInProcess, operation: str) -> None:
    mine = await api.owner()
    method, path = address(operation, {"session_id": "s", "task_id": "t"})

    refused = await mine.put(path)
    asked = await mine.options(path)

    is_problem(refused, Bad("method_not_allowed"))
    assert asked.status_code == 204
    assert method in refused.headers["allow"].split(", ")
    assert refused.headers["allow"] == asked.headers["allow"]


@pytest.mark.parametrize("operation", [each for each in OF_ONE if each.startswith("GET")])
async def test_head_is_get_without_a_body(api: ApiInProcess, operation: str) -> None:
    mine = await api.owner()
    sent = await api.send(mine)
    await api.closed(mine, sent["task_id"])
    _, path = address(operation, sent)

    head, get = await mine.head(path), await mine.get(path)

    assert head.status_code == get.status_code
    assert head.content == b""
    assert head.headers["content-type"] == get.headers["content-type"]


def is_problem(answer: httpx.Response, bad: Bad) -> None:
    assert 400 <= answer.status_code < 500, (bad, answer.text)
    assert answer.headers["content-type"] == "application/problem+json", (bad, answer.text)
    told = answer.json()
    assert told["code"] == bad.code, (bad, told)
    assert told["status"] == answer.status_code
    assert told["detail"]
    assert told["title"]
