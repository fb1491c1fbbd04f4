"""Every refusal on the wire: one table from code to status, one body after RFC 9457.

The same code always gives the same status and, details apart, the same body, so another owner's id
cannot be told from an id that does not exist (Case B185).
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from assistant.api.wire import iso
from assistant.domain.errors import AssistantError, InvalidInput, KeyMissing, NotFound, Refused
from assistant.domain.transcript import well_formed

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
SHARED_PATH = "/api/shared/"
"""What follows is a secret: whoever has it reads."""
KEY_HEADER = "Idempotency-Key"
RETRY_AFTER_SECONDS = 1
MOST_ERRORS = 20
MAX_FIELD_CHARACTERS = 100


class ForbiddenOrigin(Refused):
    """A page of another origin may not change anything here."""

    code = "forbidden_origin"


class MethodNotAllowed(Refused):
    """This address does not know that method; the Allow header says which it knows."""

    code = "method_not_allowed"


class Misdirected(Refused):
    """This server does not answer under that name."""

    code = "misdirected"


class TooLarge(Refused):
    """The request body is larger than what is read."""

    code = "too_large"


class UnsupportedMediaType(Refused):
    """The request body has to be JSON, sent as application/json."""

    code = "unsupported_media_type"


STATUS: dict[str, int] = {
    "refused": 400,
    "invalid_input": 400,
    "idempotency_key_missing": 400,
    "owner_missing": 401,
    "forbidden_origin": 403,
    "not_found": 404,
    "code_unknown": 404,
    "method_not_allowed": 405,
    "session_busy": 409,
    "queue_full": 409,
    "nothing_queued": 409,
    "task_closed": 409,
    "not_retryable": 409,
    "already_decided": 409,
    "arguments_mismatch": 409,
    "not_undecided": 409,
    "outcome_known": 409,
    "already_settled": 409,
    "idempotency_key_reused": 409,
    "request_withdrawn": 409,
    "request_accepted": 409,
    "request_edited": 409,
    "owner_named": 409,
    "already_linked": 409,
    "choice_needed": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "misdirected": 421,
    "too_many_tries": 429,
    "rate_limited": 429,
    "internal": 500,
    "fenced": 500,
    "unavailable": 503,
    "not_ready": 503,
    "store_unavailable": 503,
    "log_unavailable": 503,
}
"""Code to status, for every class of the error tree and for what HTTP itself refuses."""


class Problem(BaseModel):
    """A refusal or a failure; some codes add details, for example the `result` of `request_accepted`."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "Conflict",
                "status": 409,
                "code": "session_busy",
                "detail": "The session already has an unfinished answer; wait for it or stop it.",
            }
        },
    )

    type: str = "about:blank"
    title: str
    status: int
    code: str = Field(description="Stable; programs decide by it.")
    detail: str = Field(description="A sentence for people.")


def problem(error: AssistantError, headers: Mapping[str, str] | None = None) -> Response:
    """The answer to `error`; one that is our own fault is told without its words."""
    status = STATUS.get(error.code, 500)
    more = dict(headers or {})
    if status == 503:
        more["retry-after"] = str(RETRY_AFTER_SECONDS)
    if status == 429:
        more["retry-after"] = str(error.details.get("retry_after", RETRY_AFTER_SECONDS))
    if status == 500:
        error = AssistantError("Something went wrong here; it was noted.")
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": error.code,
        "detail": error.message,
        **{name: value for name, value in error.details.items() if name not in Problem.model_fields},
    }
    told = jsonable_encoder(body, custom_encoder={datetime: iso})
    return JSONResponse(told, status, more, media_type=MEDIA_TYPE)


def unexpected(error: BaseException, path: str) -> Response:
    """Note a defect in the log and answer 500 without a word of it. The token of a link is not noted."""
    head, shared, _ = path.partition(SHARED_PATH)
    _log.error("a request failed unexpectedly: %s", head + shared, exc_info=error)
    return problem(AssistantError())


def answer_with_problems(api: FastAPI) -> None:
    """Have every refusal of the routes answered by `problem`."""

    @api.exception_handler(AssistantError)
    async def refused(request: Request, error: AssistantError) -> Response:
        if STATUS.get(error.code, 500) == 500:
            return unexpected(error, request.url.path)
        return problem(error)

    @api.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        errors = error.errors()
        if any(each["type"] == "missing" and each["loc"] == ("header", KEY_HEADER) for each in errors):
            return problem(KeyMissing())
        return problem(InvalidInput("The request is not as it should be.", errors=_fields(error)))

    @api.exception_handler(HTTPException)
    async def of_http(_: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return problem(NotFound())
        if error.status_code == 405:
            return problem(MethodNotAllowed(), error.headers)
        return problem(InvalidInput("The request body cannot be read."))


def _fields(error: RequestValidationError) -> list[dict[str, str]]:
    """Where and what, never the value: it may be a secret. What is wrong as a whole has no place in it."""
    named = [(_name(each["loc"], error.body), _message(each)) for each in error.errors()[:MOST_ERRORS]]
    return [{"field": name, "message": told} if name else {"message": told} for name, told in named]


def _name(place: Sequence[str | int], body: Any) -> str:
    """The name of a place in what was sent, "" for all of it."""
    if len(place) == 1 or (place[0] == "body" and isinstance(place[1], int)):
        return ""
    return well_formed(".".join(_as_sent(place[1:], body)))[:MAX_FIELD_CHARACTERS]


def _as_sent(place: Sequence[str | int], sent: Any) -> Iterator[str]:
    """The steps of a place that are in what was sent: of something in a list that is of one kind or another,
    its number is told with its kind, which is what one of its values says."""
    for at, step in enumerate(place):
        follows_number = at > 0 and isinstance(place[at - 1], int) and at + 1 < len(place)
        if follows_number and isinstance(sent, dict) and step in sent.values():
            continue
        yield str(step)
        if isinstance(sent, dict):
            sent = sent.get(step)
        elif isinstance(sent, list) and isinstance(step, int):
            sent = sent[step] if step < len(sent) else None
        else:
            sent = None


def _message(error: Any) -> str:
    if error["type"] == "json_invalid":
        return "This is not JSON."
    return str(error["msg"]).removeprefix("Value error, ")
