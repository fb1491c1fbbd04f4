"""Under which names the server answers, where the operator says so.

A page of a stranger's name that suddenly leads to this machine is, for the browser, of the same origin as the
server behind it: without this it could use a server that only listens here, though never a user's cookie.
"""

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from assistant.api.errors import Misdirected, problem
from assistant.api.peers import header

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

FOR_PROBES = ("/health", "/metrics")
"""Asked by address, from wherever the server is looked after."""


def named_hosts(allowed: Collection[str]) -> Callable[[AsgiApp], AsgiApp]:
    """Return middleware for the whole server: 421 `misdirected` for another name; empty lets all pass."""

    def around(app: AsgiApp) -> AsgiApp:
        if not allowed:
            return app

        async def answering(scope: Scope, receive: Receive, send: Send) -> None:
            known = scope["type"] not in ("http", "websocket") or scope["path"] in FOR_PROBES
            if known or _name_in(header(scope, "host") or "") in allowed:
                await app(scope, receive, send)
            elif scope["type"] == "http":
                await problem(Misdirected())(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})

        return answering

    return around


def _name_in(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
