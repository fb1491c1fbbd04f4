"""Every operation of the document against bad input: a clear 4xx problem, and nothing created."""

from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest

from tests.integration.api.in_process import ApiInProcess
from tests.integration.api.operations import MALFORMED_IDS, WITHOUT_OWNER, address, operations, parameters

JSON = {"content-type": "application/json"}
BAD_NUMBERS = ("", "x", "-1", "1.5", "1e3", "9" * 40, "0x1", "%00", "null")


@dataclass
class Bad:
    """One bad request: what it has beside the real address, and the code that it is refused with."""

    code: str = "invalid_input"
    path: dict[str, str] = field(default_factory=dict)
    query: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None


def draft(body: str | bytes, code: str = "invalid_input", **headers: str) -> Bad:
    raw = body.encode() if isinstance(body, str) else body
    kept = {name.replace("_", "-"): value for name, value in headers.items()}
    return Bad(code, headers={**JSON, "idempotency-key": "bad", **kept}, body=raw)


OF_ONE: dict[str, list[Bad]] = {
    "GET /api/owner": [],
    "POST /api/messages": [
        draft(""),
        draft("{"),
        draft("[]"),
        draft("null"),
        draft('"text"'),
        draft("{}"),
        draft('{"text": ""}'),
        draft('{"text": " \\n "}'),
        draft('{"text": null}'),
        draft('{"text": 7}'),
        draft('{"text": "a", "text2": "b"}'),
        draft('{"text": "a", "session_id": 7}'),
        draft('{"text": "a", "session_id": "no such"}', "not_found"),
        draft('{"text": "a", "session_id": "\\u0000"}', "not_found"),
        draft('{"text": "a", "session_id": ""}', "not_found"),
        draft('{"text": "a", "model": ""}'),
        draft('{"text": "a", "edits": 7}'),
        draft('{"text": "a", "edits": "no such"}', "not_found"),
        draft('{"text": "a", "edits": ""}', "not_found"),
        draft('{"text": "a", "attachments": ["no such"]}'),
        draft('{"text": "a", "parameters": {"temperature": NaN}}'),
        draft('{"text": "a", "parameters": {"temperature": 3}}'),
        draft('{"text": "a", "parameters": {"max_tokens": ' + "9" * 5_000 + "}}"),
        draft('{"text": "a", "\\ud800": 1}'),
        draft('{"text": "' + "a" * 200_001 + '"}'),
        draft('{"text": "' + "a" * (2 << 20) + '"}', "too_large"),
        draft("[" * 100_000),
        draft(b'{"text": "\xff"}'),
        draft("text=a", "unsupported_media_type", content_type="application/x-www-form-urlencoded"),
        draft('{"text": "a"}', "unsupported_media_type", content_type="text/plain"),
        draft('{"text": "a"}', "invalid_input", idempotency_key="k" * 201),
        draft('{"text": "a"}', "invalid_input", idempotency_key="k\tk"),
        draft('{"text": "a"}', "idempotency_key_missing", idempotency_key=""),
        draft('{"text": "a"}', "forbidden_origin", origin="http://evil.example"),
        Bad("idempotency_key_missing", headers=JSON, body=b'{"text": "a"}'),
    ],
    "GET /api/requests/{key}": [
        Bad("not_found", path={"key": key}) for key in ("%00", "k" * 201, "%C3%A9", "a%2Fb")
    ],
    "DELETE /api/requests/{key}": [
        *(Bad(path={"key": key}) for key in ("%00", "k" * 201, "%C3%A9")),
        Bad("forbidden_origin", headers={"origin": "null"}),
    ],
    "GET /api/sessions": [
        *(Bad(query=f"since={bad}") for bad in ("x", "", "12345", "0001-01-01T00:00:00%2B23:59")),
        *(Bad(query=f"after={bad}") for bad in ("x", "", "x~y", "~")),
        *(Bad("not_found", query=f"after=2025-05-05T12:00:00.000Z~{bad}") for bad in ("", "%00", "x" * 65)),
        Bad(query="limit=0"),
        *(Bad(query=f"state={bad}") for bad in ("", "deleted", "ACTIVE")),
    ],
    "GET /api/sessions/{id}": [
        *(Bad("not_found", query=f"before={bad}") for bad in ("", "x", "%00", "x" * 65)),
        Bad(query="limit=201"),
    ],
    "GET /api/sessions/{id}/changes": [],
    "PATCH /api/sessions/{id}": [
        draft(""),
        draft("{"),
        draft("[]"),
        draft("null"),
        draft('{"title": ""}'),
        draft('{"title": " \\n "}'),
        draft('{"title": 7}'),
        draft('{"title": "' + "a" * 201 + '"}'),
        draft('{"title": "a", "name": "b"}'),
        draft('{"title": "a", "state": "deleted"}'),
        draft('{"state": "Archived"}'),
        draft('{"model": ""}'),
        draft('{"title": "a", "model": "unheard of"}'),
        draft('{"parameters": {"temperature": 3}}'),
        draft('{"leaf_id": 7}'),
        draft('{"title": "a", "leaf_id": "no such"}', "not_found"),
        draft('{"title": "a", "leaf_id": ""}', "not_found"),
        draft('{"title": "' + "a" * (2 << 20) + '"}', "too_large"),
        draft('{"title": "a"}', "unsupported_media_type", content_type="text/plain"),
        draft('{"title": "a"}', "invalid_input", idempotency_key="k" * 201),
        draft('{"title": "a"}', "forbidden_origin", origin="http://evil.example"),
    ],
    "DELETE /api/sessions/{id}": [
        Bad(headers={"idempotency-key": "k" * 201}),
        Bad("forbidden_origin", headers={"origin": "http://evil.example"}),
    ],
    "POST /api/sessions/{id}/undo-delete": [
        Bad(headers={"idempotency-key": "k" * 201}),
        Bad("forbidden_origin", headers={"origin": "http://evil.example"}),
    ],
    "POST /api/sessions/{id}/queue/send": [
        Bad(headers={"idempotency-key": "k" * 201}),
        Bad("forbidden_origin", headers={"origin": "http://evil.example"}),
    ],
    "GET /api/tasks/{id}": [],
    "GET /api/tasks/{id}/stream": [
        *(Bad(headers={"last-event-id": bad}) for bad in ("x", "1", "1.x", "-1.0", "1.1.1")),
        Bad(query="crc=4294967296"),
    ],
    "POST /api/tasks/{id}/stop": [
        Bad(headers={"idempotency-key": "k" * 201}),
        Bad("forbidden_origin", headers={"origin": "http://evil.example"}),
        Bad("too_large", body=b"x" * ((2 << 20) + 1)),
    ],
    "POST /api/tasks/{id}/retry": [
        Bad(headers={"idempotency-key": "k" * 201}),
        Bad("forbidden_origin", headers={"origin": "http://evil.example"}),
    ],
    "POST /api/tasks/{id}/continue": [
        Bad(headers={"idempotency-key": "k" * 201}),
        Bad("forbidden_origin", headers={"origin": "http://evil.example"}),
    ],
    "GET /health": [],
    "GET /metrics": [],
}
"""What is bad for one operation alone. What is bad for all of their kind is derived from the document."""


def bad_for_all(told: dict[str, Any]) -> list[Bad]:
    found = [
        Bad(query=f"{name}={bad}")
        for name, each in parameters(told, "query").items()
        if "integer" in str(each["schema"])
        for bad in BAD_NUMBERS
    ]
    if "id" in parameters(told, "path"):
        body = draft('{"title": "a"}') if "requestBody" in told else Bad()
        found += [replace(body, code="not_found", path={"id": bad}) for bad in (*MALFORMED_IDS, "unknown")]
    return found


async def test_every_operation_of_the_document_is_walked(api: ApiInProcess) -> None:
    assert {operation for operation, _ in operations(api.api)} == set(OF_ONE)


@pytest.mark.parametrize("operation", OF_ONE)
async def test_bad_input_is_refused_clearly_and_creates_nothing(api: ApiInProcess, operation: str) -> None:
    mine = await api.owner()
    sent = await api.send(mine)
    await api.closed(mine, sent["task_id"])
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
