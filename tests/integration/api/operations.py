"""The operations of the OpenAPI document, for tests that have to walk over all of them."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI

WITHOUT_OWNER = {"GET /api/owner", "GET /health", "GET /metrics"}
MALFORMED_IDS = ("x" * 65, "%00", "a%0Ab", "%F0%9F%98%80", "..%2F..%2Fetc", "%20" * 70)


def operations(api: FastAPI) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each operation as `METHOD /path/{id}` with what the document says of it."""
    for path, methods in api.openapi()["paths"].items():
        for method, told in methods.items():
            yield f"{method.upper()} {path}", told


def parameters(told: dict[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """The parameters of an operation in the path, the query or the headers, by name."""
    return {each["name"]: each for each in told.get("parameters", []) if each["in"] == where}


def address(operation: str, sent: dict[str, str], **instead: str) -> tuple[str, str]:
    """Method and path with ids of a real send, or with what stands instead, already quoted."""
    method, _, path = operation.partition(" ")
    own = sent["session_id"] if path.startswith("/api/sessions") else sent["task_id"]
    values = {"id": own, "key": "no-such-key", **instead}
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", value if "%" in value else quote(value, safe=""))
    assert "{" not in path, f"{operation} has a path parameter that this walk does not know"
    return method, path
