"""The OpenAPI document: what FastAPI derives, made true where it guesses."""

from typing import Any

from fastapi import FastAPI

from assistant.api.errors import MEDIA_TYPE
from assistant.services.owner_seal import COOKIE

WITHOUT_OWNER = ("/health", "/metrics", "/api/shared/{token}")
OWNER_IS_OPTIONAL = ("/api/owner", "/api/owner/link")
"""One mints an owner, the other makes a device without one somebody's."""

_PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_OWNER_BY = {
    "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
    "bearer": {"type": "http", "scheme": "bearer", "description": "The value of the cookie."},
}


class DocumentedApi(FastAPI):
    """A FastAPI whose document names the problem body, its media type, and how an owner is known."""

    def openapi(self) -> dict[str, Any]:
        """The document; made once."""
        if self.openapi_schema is None:
            document = super().openapi()
            document["components"]["securitySchemes"] = _OWNER_BY
            for path, operations in document["paths"].items():
                for operation in operations.values():
                    _tell(operation)
                    if path not in WITHOUT_OWNER:
                        operation["security"] = _security(optional=path in OWNER_IS_OPTIONAL)
        assert self.openapi_schema is not None
        return self.openapi_schema


def _tell(operation: dict[str, Any]) -> None:
    operation["responses"]["4XX"]["content"] = _PROBLEM
    operation["responses"]["503"] = {"description": "Not ready; try again.", "content": _PROBLEM}
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _never_null(parameter["schema"])


def _never_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query or a header may be absent; nothing in it means null."""
    given = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(given) != 1:
        return schema
    return {**{name: value for name, value in schema.items() if name != "anyOf"}, **given[0]}


def _security(*, optional: bool) -> list[dict[str, list[str]]]:
    """By cookie or bearer; `optional`: or by neither."""
    nobody: list[dict[str, list[str]]] = [{}] if optional else []
    return [*nobody, {"cookie": []}, {"bearer": []}]
