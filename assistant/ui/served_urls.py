"""One build for every host, port and https proxy: tell the page where its own server is.

Reflex writes the URL of the server into one script of the build, ``reflex-env-<hash>.js``, with
the port of the machine that built it. This middleware answers that script itself, with each of
those URLs made from the ``location.origin`` of the page that asks.
"""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

_SCRIPT = re.compile(r"/assets/(reflex-env-[\w-]+\.js)")
_URL = re.compile(r"""([`"'])(http|ws)s?://[^/`"']+(/[^`"']*)\1""")
_HERE = {
    "http": "location.origin",
    "ws": 'location.origin.replace(/^http/,"ws")',
}


def with_urls_of_the_page(script: str) -> str:
    """Return the JavaScript module with every URL literal taken from the page's own origin.

    The module also runs outside a page, when Reflex prerenders; this text never does.
    """
    return _URL.sub(lambda url: f'{_HERE[url[2]]}+"{url[3]}"', script)


def served_urls(build: Path) -> Callable[[AsgiApp], AsgiApp]:
    """Return middleware that answers the script out of ``build``, the folder of the built page.

    Anything else, and a script that the build does not have, goes to the app behind.
    """

    def around(app: AsgiApp) -> AsgiApp:
        async def answering(scope: Scope, receive: Receive, send: Send) -> None:
            asked = _SCRIPT.fullmatch(scope["path"]) if scope["type"] == "http" else None
            file = build / "assets" / asked[1] if asked else None
            if file is None or not file.is_file():
                await app(scope, receive, send)
                return
            await _answer(with_urls_of_the_page(file.read_text()).encode(), scope, send)

        return answering

    return around


async def _answer(body: bytes, scope: Scope, send: Send) -> None:
    headers = [
        (b"content-type", b"text/javascript; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        # The name is a hash of the build's own text, not of this one.
        (b"cache-control", b"no-cache"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
