"""How a provider's failure is told: one stable code and one sentence a kind, never with the key.

model_timeout            a stated deadline passed            model_bad_request    400 and its like
model_unreachable        no connection, or it broke early    model_unauthorized   401
model_broken_stream      bytes that are no answer, or a cut  model_no_credit      402
model_error              the provider said so in mid-answer  model_forbidden      403
model_content_filter     its filter ended the answer         model_not_found      404
model_context_exceeded   more was told than it can read
model_unexpected_calls   it called tools nobody offered      model_rate_limited   429
model_unknown            no such model is set up             model_unavailable    5xx
model_too_many_calls     more calls, or longer ones, than a step may ask for
"""

import json
import re
from typing import Any

import httpx

from assistant.domain.errors import IT_SAID, ProviderFailed

QUOTED_CHARACTERS = 300
"""How much of a provider's own words is told to the user."""

_CODES = {
    401: "model_unauthorized",
    402: "model_no_credit",
    403: "model_forbidden",
    404: "model_not_found",
    408: "model_unavailable",
    429: "model_rate_limited",
}

_WORDS = {
    "model_bad_request": "The model provider refused the request. Shorten it or check its parameters.",
    "model_context_exceeded": "The model says that this conversation is longer than it can read at once. Set "
    "ASSISTANT_MODEL_CONTEXT_TOKENS to its window, shorten the message, or choose another model.",
    "model_unauthorized": "The model provider does not accept the API key. Check ASSISTANT_MODEL_API_KEY.",
    "model_no_credit": "The account at the model provider has no credit left. Add credit there, then retry.",
    "model_forbidden": "The API key may not use this model. Choose another one, or ask for access.",
    "model_not_found": "The model provider knows no such model or address. Check "
    "ASSISTANT_MODEL_BASE_URL and ASSISTANT_MODEL_NAME.",
    "model_rate_limited": "The model provider takes no more requests right now. Wait a little, then retry.",
    "model_unavailable": "The model provider has a problem of its own. Retry in a moment.",
    "model_unreachable": "The model provider cannot be reached. Check that it runs and that "
    "ASSISTANT_MODEL_BASE_URL is right, then retry.",
    "model_broken_stream": "The model provider's answer broke off before its end. Continue it or retry.",
    "model_error": "The model provider reported an error in mid-answer. Continue it or retry.",
    "model_content_filter": "The model provider's filter ended this answer. Ask in other words.",
    "model_unexpected_calls": "The model called a tool that it was not offered. Retry, or choose another.",
    "model_too_many_calls": "The model asked for too much at once: more than 64 tool calls, or more than "
    "256 kB of arguments. Retry, or ask for less.",
}

_SILENT = frozenset({"model_unauthorized", "model_forbidden"})
"""Kinds whose own words from the provider are not quoted: they tend to hold a part of the key."""

_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size"
    r"|maximum context length|maximum prompt length|prompt is too long|available context size"
    r"|exceeds? the (?:model's )?(?:max(?:imum)? )?context",
    re.IGNORECASE,
)
"""How known servers say it: by OpenAI's code, else in words."""

_NO_TOOLS = re.compile(
    r"(?:not support|no endpoints found that support) (?:\w+ )?tools?\b"
    r"|tools? (?:\w+ )?(?:is|are) not supported|enable-auto-tool-choice|argument: tools",
    re.IGNORECASE,
)


def failure(code: str, quoted: str = "", *, key: str = "") -> ProviderFailed:
    """The failure of this kind; what the provider said itself is quoted, cut short and without `key`."""
    words = _WORDS[code]
    if key:
        quoted = quoted.replace(key, "***")
    quoted = " ".join(quoted.split())[:QUOTED_CHARACTERS]
    if quoted and code not in _SILENT:
        words += IT_SAID + quoted
    return ProviderFailed(code, words)


def refusal(status: int, body: bytes, *, key: str = "") -> ProviderFailed:
    """The failure that an HTTP status stands for."""
    if status == 429 and b"insufficient_quota" in body:
        return failure("model_no_credit", key=key)
    if status in (400, 413, 422) and _TOO_LONG.search(body.decode(errors="replace")):
        return failure("model_context_exceeded", said(_parsed(body)), key=key)
    if status >= 500:
        code = "model_unavailable"
    elif status < 400:
        code = "model_not_found"
    else:
        code = _CODES.get(status, "model_bad_request")
    return failure(code, said(_parsed(body)), key=key)


def reported(payload: Any, *, key: str = "") -> ProviderFailed:
    """The failure that a server tells in the stream, in place of an answer or in the midst of one."""
    quoted = payload if isinstance(payload, str) else said(payload)
    told = payload if isinstance(payload, str) else json.dumps(payload)
    return failure("model_context_exceeded" if _TOO_LONG.search(told) else "model_error", quoted, key=key)


def knows_no_tools(status: int, body: bytes) -> bool:
    """Whether a refusal says, in the words of known servers, that the model takes no tools at all."""
    return status in (400, 404, 422, 501) and _NO_TOOLS.search(said(_parsed(body))) is not None


def late(what: str, seconds: float) -> ProviderFailed:
    """A deadline passed: `what` did not come within `seconds`."""
    words = f"The model provider was silent for too long: no {what} within {seconds:g} s. Retry, or continue."
    return ProviderFailed("model_timeout", words, timeout=True)


def broken_line(error: httpx.HTTPError, *, answering: bool) -> ProviderFailed:
    """The connection could not be made, or broke; `answering` says that an answer had begun."""
    kind = "model_broken_stream" if answering else "model_unreachable"
    return failure(kind, type(error).__name__)


def said(payload: Any) -> str:
    """The words of an error document, in whichever of the usual places they stand; else nothing."""
    if isinstance(payload, list) and payload:
        payload = payload[0]
    if not isinstance(payload, dict):
        return ""
    for place in ("error", "message", "detail"):
        found = payload.get(place)
        if isinstance(found, dict):
            found = found.get("message")
        if isinstance(found, str) and found:
            return found
    return ""


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
