"""Every route of the server, and how the permission walk asks it: the table of `test_permission_walk_routes`.

A row is `"METHOD /path/as/{declared}": (Call(...), ...)`. The walk fills the names of `walk_estate.Things`
(`{session_id}`, `{message_id}`, `{answer_id}`, `{task_id}`, `{call_id}`, `{arguments_hash}`, `{key}`,
`{link_id}` and `{mine}`) in a call's path, query, headers and body, with another owner's ids and then with
unknown ones, and wants one answer. A new route needs one row, and each parameter that takes an id a call:

    "POST /api/sessions/{id}/share": (Call("/api/sessions/{session_id}/share", json={}),)

A route that needs no owner says what everybody sees (`EVERYBODY`), and one that gives an owner a list of
their own says `sees=200`: the walk then looks for anything of the other owner's in it. A route by a secret
of its own (a share's token, a code) is walked with a token that nobody has, as `EVERYBODY`, and tested with
a good one beside its feature.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One request of a row: `sees` is the status for a foreign owner, `nobody` without any owner."""

    path: str
    json: Any = None
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    sees: int = 404
    nobody: int = 401
    anew: bool = False
    """Answered with another body each time: something of the caller's own is made, or the walk is counted."""


def everybody(path: str, sees: int = 200) -> tuple[Call, ...]:
    """A row of a route that knows no owner."""
    return (Call(path, sees=sees, nobody=sees),)


_JSON = {"accept": "application/json"}
_KEYED = {"idempotency-key": "a key of mine"}
_DECIDED = {"arguments_hash": "{arguments_hash}"}
_TEXT = {"text": "mine"}

ROUTES: dict[str, tuple[Call, ...]] = {
    "GET /api/owner": (Call("/api/owner", sees=200, nobody=200, anew=True),),
    "DELETE /api/owner": everybody("/api/owner", sees=204),
    # Codes: the foreigner's own, none of which is the owner's.
    "POST /api/owner/links": (Call("/api/owner/links", sees=201, anew=True),),
    "GET /api/owner/links": (Call("/api/owner/links", sees=200, anew=True),),
    "DELETE /api/owner/links/{id}": (Call("/api/owner/links/{link_id}"),),
    "GET /api/owner/link": everybody("/api/owner/link"),
    "POST /api/owner/link": (
        Call("/api/owner/link", json={"code": "AAAA-AAAA", "bring": False}, nobody=404),
    ),
    "POST /api/sessions/{id}/share": (Call("/api/sessions/{session_id}/share", json={}),),
    "GET /api/sessions/{id}/share": (Call("/api/sessions/{session_id}/share"),),
    "DELETE /api/sessions/{id}/share": (Call("/api/sessions/{session_id}/share"),),
    # By a token alone; what a good one tells is tested beside the feature.
    "DELETE /api/sessions/{id}/summary": (
        Call("/api/sessions/{session_id}/summary"),
        Call("/api/sessions/{session_id}/summary", headers=_KEYED),
    ),
    "GET /api/shared/{token}": everybody("/api/shared/{session_id}", sees=404),
    "GET /api/models": (Call("/api/models", sees=200),),
    "GET /api/tools": (Call("/api/tools", sees=200),),
    "POST /api/messages": (
        Call("/api/messages", json={**_TEXT, "session_id": "{session_id}"}, headers=_KEYED),
        Call("/api/messages", json={**_TEXT, "session_id": "{session_id}", "queue": True}, headers=_KEYED),
        Call("/api/messages", json={**_TEXT, "edits": "{message_id}"}, headers=_KEYED),
        Call("/api/messages", json={**_TEXT, "edits": "{answer_id}"}, headers=_KEYED),
        Call(
            "/api/messages",
            json={**_TEXT, "session_id": "{mine}", "edits": "{message_id}"},
            headers=_KEYED,
        ),
    ),
    "GET /api/requests/{key:path}": (Call("/api/requests/{key}"),),
    "PATCH /api/requests/{key:path}": (
        Call("/api/requests/{key}", json=_TEXT),
        Call("/api/requests/{key}", json={**_TEXT, "replaces": "theirs"}),
    ),
    "DELETE /api/requests/{key:path}": (Call("/api/requests/{key}", sees=200),),
    "GET /api/sessions": (
        Call("/api/sessions", sees=200),
        Call("/api/sessions", query={"after": "2030-01-01T00:00:00.000Z~{session_id}"}, sees=200),
        Call("/api/sessions", query={"state": "archived"}, sees=200),
    ),
    "GET /api/sessions/{id}": (
        Call("/api/sessions/{session_id}"),
        Call("/api/sessions/{session_id}", query={"before": "{message_id}"}),
        Call("/api/sessions/{mine}", query={"before": "{message_id}"}),
        Call("/api/sessions/{mine}", query={"before": "{answer_id}"}),
    ),
    "GET /api/search": (
        Call("/api/search", query={"q": "{session_id}"}, sees=200),
        Call("/api/search", query={"q": "know"}, sees=200),
        Call("/api/search", query={"q": "a", "after": "1"}, sees=200),
    ),
    "GET /api/sessions/{id}/export": (
        Call("/api/sessions/{session_id}/export"),
        Call("/api/sessions/{session_id}/export", query={"format": "md"}),
    ),
    "POST /api/sessions/import": (Call("/api/sessions/import", json={"format": "{session_id}"}, sees=400),),
    "GET /api/sessions/{id}/changes": (Call("/api/sessions/{session_id}/changes"),),
    "PATCH /api/sessions/{id}": (
        Call("/api/sessions/{session_id}", json={"title": "Mine"}),
        Call("/api/sessions/{session_id}", json={"leaf_id": "{answer_id}"}),
        Call("/api/sessions/{mine}", json={"leaf_id": "{answer_id}"}),
    ),
    "DELETE /api/sessions/{id}": (Call("/api/sessions/{session_id}"),),
    "POST /api/sessions/{id}/undo-delete": (Call("/api/sessions/{session_id}/undo-delete"),),
    "POST /api/sessions/{id}/queue/send": (Call("/api/sessions/{session_id}/queue/send"),),
    "GET /api/tasks/{id}": (Call("/api/tasks/{task_id}"),),
    "GET /api/tasks/{id}/stream": (
        Call("/api/tasks/{task_id}/stream"),
        Call("/api/tasks/{task_id}/stream", headers=_JSON),
        Call("/api/tasks/{task_id}/stream", headers={"last-event-id": "1.3"}),
        Call("/api/tasks/{task_id}/stream", query={"offset": "3", "attempt": "1", "crc": "7"}, headers=_JSON),
    ),
    "POST /api/tasks/{id}/stop": (Call("/api/tasks/{task_id}/stop"),),
    "POST /api/tasks/{id}/retry": (Call("/api/tasks/{task_id}/retry"),),
    "POST /api/tasks/{id}/continue": (Call("/api/tasks/{task_id}/continue"),),
    "POST /api/tool-calls/{id}/decision": (
        Call("/api/tool-calls/{call_id}/decision", json={**_DECIDED, "decision": "approve"}),
        Call("/api/tool-calls/{call_id}/decision", json={**_DECIDED, "decision": "deny", "reason": "no"}),
        Call("/api/tool-calls/{call_id}/decision", json={"arguments_hash": "0" * 64, "decision": "deny"}),
    ),
    "POST /api/tool-calls/{id}/mark-done": (Call("/api/tool-calls/{call_id}/mark-done"),),
    "POST /api/tool-calls/{id}/run-again": (Call("/api/tool-calls/{call_id}/run-again"),),
    "GET /api/docs": everybody("/api/docs"),
    "GET /api/openapi.json": everybody("/api/openapi.json"),
    "HEAD /api/openapi.json": everybody("/api/openapi.json"),
    "MOUNT /api/docs-assets": everybody("/api/docs-assets/{session_id}", sees=404),
    "GET /health": everybody("/health"),
    "GET /metrics": (Call("/metrics", sees=200, nobody=200, anew=True),),
    # Reflex's own. What comes over its socket is walked by `test_permission_walk_handlers`.
    "GET /ping": everybody("/ping"),
    "HEAD /ping": everybody("/ping"),
    "GET /_health": everybody("/_health"),
    "HEAD /_health": everybody("/_health"),
    "MOUNT /_event": everybody("/_event/?token={session_id}", sees=400),
    # Documents without a word of anybody's: the same file for every `?sid=`. They live by their handlers.
    "PAGE index": (),
    "PAGE 404": (),
    "PAGE link": (),
    "PAGE shared/[shared_token]": (),
}

for _method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
    # What the API does not know, or not by this method.
    _known = {"GET": 200, "OPTIONS": 204}.get(_method, 405)
    ROUTES[f"{_method} /api"] = everybody("/api", sees=404)
    ROUTES[f"{_method} /api/{{path:path}}"] = everybody("/api/nothing/{session_id}", sees=404)
    ROUTES.setdefault(f"{_method} /health", everybody("/health", sees=_known))
    ROUTES.setdefault(f"{_method} /metrics", everybody("/metrics", sees=_known))
