"""Bad requests of every operation, each with the code that it is refused with."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

from tests.integration.api.operations import EXAMPLES, MALFORMED_IDS, good_body, parameters

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


GOOD_DECISION = json.dumps(EXAMPLES["Decided"])


def decided(code: str = "invalid_input", **instead: Any) -> Bad:
    return draft(json.dumps({**EXAMPLES["Decided"], **instead}), code)


GOOD_FILE = json.dumps(EXAMPLES["SessionFile"])
AT = "2025-05-05T12:00:00.123Z"
QUESTION = {"number": 1, "parent": None, "role": "user", "text": "a", "created_at": AT}


def imported(**instead: Any) -> Bad:
    return draft(json.dumps({**EXAMPLES["SessionFile"], **instead}))


OF_ONE: dict[str, list[Bad]] = {
    "GET /api/owner": [],
    "GET /api/models": [],
    "GET /api/tools": [],
    "GET /api/owner/links": [],
    "POST /api/owner/links": [Bad("forbidden_origin", headers={"origin": "http://evil.example"})],
    "DELETE /api/owner/links/{id}": [],
    "GET /api/owner/link": [],
    "POST /api/owner/link": [
        draft(""),
        draft("{}"),
        draft('{"code": 7}'),
        draft('{"code": "K7QM-2XHP", "bring": "yes"}'),
        draft('{"code": "' + "A" * 41 + '"}'),
        draft('{"code": "K7QM-2XHP"}', "code_unknown"),
        draft('{"code": "\\u0000"}', "code_unknown"),
        draft('{"code": "K7QM-2XHP"}', "unsupported_media_type", content_type="text/plain"),
        draft('{"code": "K7QM-2XHP"}', "forbidden_origin", origin="http://evil.example"),
    ],
    "DELETE /api/owner": [Bad("forbidden_origin", headers={"origin": "http://evil.example"})],
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
    "PATCH /api/requests/{key}": [
        draft(""),
        draft("{}"),
        draft('{"text": 7}'),
        draft('{"text": " "}'),
        draft('{"text": "a", "key": "b"}'),
        draft('{"text": "a", "replaces": 7}'),
        draft('{"text": "' + "a" * 200_001 + '"}'),
        draft('{"text": "a"}', "not_found"),
        draft('{"text": "a"}', "unsupported_media_type", content_type="text/plain"),
        draft('{"text": "a"}', "forbidden_origin", origin="http://evil.example"),
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
    "GET /api/sessions/{id}/share": [],
    "DELETE /api/sessions/{id}/share": [Bad("forbidden_origin", headers={"origin": "null"})],
    "DELETE /api/sessions/{id}/summary": [
        Bad("invalid_input", headers={"idempotency-key": "x" * 201}),
        Bad("forbidden_origin", headers={"origin": "null"}),
    ],
    "POST /api/sessions/{id}/share": [
        draft(""),
        draft("{"),
        draft('{"with_arguments": "yes"}'),
        draft('{"with_arguments": true, "token": "mine"}'),
        draft("{}", "unsupported_media_type", content_type="text/plain"),
        draft("{}", "forbidden_origin", origin="http://evil.example"),
    ],
    "GET /api/shared/{token}": [],
    "GET /api/search": [Bad(query=f"q={'a' * 501}"), Bad(query="limit=0"), Bad(query="limit=101")],
    "GET /api/sessions/{id}/export": [Bad(query=f"format={bad}") for bad in ("", "pdf", "JSON")],
    "POST /api/sessions/import": [
        *(draft(bad) for bad in ("", "{", "[]", "null", "{}", "[" * 100_000)),
        imported(format="another"),
        imported(version=2),
        imported(version="1"),
        imported(owner="me"),
        imported(session=None),
        imported(messages={}),
        imported(messages=[{"role": "system"}]),
        imported(messages=[{**QUESTION, "number": 2}]),
        imported(messages=[{**QUESTION, "created_at": "yesterday"}]),
        imported(messages=[{**QUESTION, "created_at": "2025-05-05T12:00:00"}]),
        imported(messages=[{**QUESTION, "created_at": 5}]),
        imported(messages=[{**QUESTION, "text": "a\0b"}]),
        imported(messages=[{**QUESTION, "text": "\ud800"}]),
        imported(messages=[QUESTION]),
        draft(GOOD_FILE, "unsupported_media_type", content_type="text/plain"),
        draft(GOOD_FILE, idempotency_key="k" * 201),
        draft(GOOD_FILE, "forbidden_origin", origin="http://evil.example"),
        draft(" " * ((16 << 20) + 1), "too_large"),
    ],
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
    "POST /api/tool-calls/{id}/decision": [
        draft(""),
        draft("{}"),
        draft("null"),
        draft('{"decision": "approve"}'),
        decided(decision=None),
        decided(decision="maybe"),
        decided(decision="Approve"),
        decided(decision=["approve", "deny"]),
        decided(arguments_hash=None),
        decided(arguments_hash="a" * 101),
        decided(arguments={}),
        decided(decision="deny", reason="a" * 501),
        decided("arguments_mismatch"),
        decided("arguments_mismatch", arguments_hash=""),
        draft(GOOD_DECISION, idempotency_key="k" * 201),
        draft(GOOD_DECISION, "forbidden_origin", origin="http://evil.example"),
        draft(GOOD_DECISION, "unsupported_media_type", content_type="text/plain"),
    ],
    "POST /api/tool-calls/{id}/mark-done": [
        Bad("outcome_known"),
        Bad(headers={"idempotency-key": "k" * 201}),
        Bad("forbidden_origin", headers={"origin": "http://evil.example"}),
    ],
    "POST /api/tool-calls/{id}/run-again": [
        Bad("outcome_known"),
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
        good = good_body(told)
        body = draft(json.dumps(good["json"])) if good else Bad()
        found += [replace(body, code="not_found", path={"id": bad}) for bad in (*MALFORMED_IDS, "unknown")]
    return found
