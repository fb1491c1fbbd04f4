"""What stands on everything under a shared link: it is indexed by nobody, and its address is told to nobody.

    /shared/<token>  /api/shared/<token>     X-Robots-Tag, Referrer-Policy, and no copy in any cache

The token is in the address, so a page must not send that on with a click or an image.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

PATHS = ("/shared/", "/api/shared/")
HEADERS = {
    b"x-robots-tag": b"noindex, nofollow",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"private, no-store",
}


def shared_headers(app: AsgiApp) -> AsgiApp:
    """Middleware for the whole server; what others said under these names does not count there."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PATHS):
            await app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                others = [pair for pair in message.get("headers", []) if pair[0].lower() not in HEADERS]
                message = {**message, "headers": [*others, *HEADERS.items()]}
            await send(message)

        await app(scope, receive, sending)

    return answering
