"""The operations of the OpenAPI document, for tests that have to walk over all of them."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI

EXAMPLES: dict[str, dict[str, Any]] = {
    "Draft": {"text": "Mine"},
    "Arrangement": {"title": "Mine"},
    "Rewriting": {"text": "Mine"},
    "SessionFile": {
        "format": "assistant-session",
        "version": 1,
        "session": {
            "title": "Mine",
            "model": None,
            "parameters": {},
            "leaf": None,
            "created_at": "2025-05-05T12:00:00.123Z",
            "updated_at": "2025-05-05T12:00:00.123Z",
        },
        "messages": [],
    },
    "Sharing": {"with_arguments": False},
    "LinkUse": {"code": "K7QM-2XHP"},
    "Decided": {"decision": "approve", "arguments_hash": "0" * 64},
}
"""A good body of each request."""

WITHOUT_OWNER = {
    "GET /api/owner",
    "DELETE /api/owner",
    "GET /api/owner/link",
    "POST /api/owner/link",
    "GET /api/shared/{token}",
    "GET /health",
    "GET /metrics",
}
MALFORMED_IDS = ("x" * 65, "%00", "a%0Ab", "%F0%9F%98%80", "..%2F..%2Fetc", "%20" * 70)


def operations(api: FastAPI) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each operation as `METHOD /path/{id}` with what the document says of it."""
    for path, methods in api.openapi()["paths"].items():
        for method, told in methods.items():
            yield f"{method.upper()} {path}", told


def parameters(told: dict[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """The parameters of an operation in the path, the query or the headers, by name."""
    return {each["name"]: each for each in told.get("parameters", []) if each["in"] == where}


def good_body(told: dict[str, Any]) -> dict[str, Any]:
    """The body of a request that is as it should be, for `httpx`: the document's own example of it."""
    if "requestBody" not in told:
        return {}
    schema = told["requestBody"]["content"]["application/json"]["schema"]
    return {"json": EXAMPLES[schema["$ref"].rpartition("/")[2]]}


def noun_of(path: str) -> str:
    """What the `{id}` of a path is an id of, by the name that a send gives it."""
    nouns = {"/api/sessions": "session_id", "/api/tool-calls": "call_id"}
    return next((noun for begin, noun in nouns.items() if path.startswith(begin)), "task_id")


def address(operation: str, sent: dict[str, str], **instead: str) -> tuple[str, str]:
    """Method and path with ids of a real send, or with what stands instead, already quoted."""
    method, _, path = operation.partition(" ")
    values = {
        "id": sent.get(noun_of(path), "none"),
        "key": "no-such-key",
        "token": "no-such-token",
        **instead,
    }
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", value if "%" in value else quote(value, safe=""))
    assert "{" not in path, f"{operation} has a path parameter that this walk does not know"
    return method, path
