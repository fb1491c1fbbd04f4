"""The OpenAPI document: what FastAPI derives, made true where it guesses."""

from typing import Any

from fastapi import FastAPI

from assistant.api.errors import MEDIA_TYPE
from assistant.services.owner_seal import COOKIE

WITHOUT_OWNER = ("/health", "/metrics")

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
                    _tell(operation, needs_owner=path not in WITHOUT_OWNER)
        assert self.openapi_schema is not None
        return self.openapi_schema


def _tell(operation: dict[str, Any], *, needs_owner: bool) -> None:
    operation["responses"]["4XX"]["content"] = _PROBLEM
    operation["responses"]["503"] = {"description": "Not ready; try again.", "content": _PROBLEM}
    if needs_owner:
        operation["security"] = [{"cookie": []}, {"bearer": []}]
