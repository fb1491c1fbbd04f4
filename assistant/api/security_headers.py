"""What the browser is told to forbid, on everything that the server answers (docs/SECURITY.md).

    document       scripts and styles of our own files, and the inline ones that the build itself holds
    /api/docs      the same, with the inline styles that its viewer writes
    anything else  nothing at all may be loaded from it

A header that a route has set itself stands. Under two-port `reflex run` the documents come from elsewhere.
"""

import base64
import hashlib
from collections.abc import Awaitable, Callable, MutableMapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from assistant.api.peers import TrustedPeers, is_https
from assistant.settings import Settings

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = dict[bytes, bytes]

YEAR_SECONDS = 365 * 24 * 3600

UNUSED_FEATURES = (
    "accelerometer", "autoplay", "camera", "clipboard-read", "display-capture", "encrypted-media",
    "fullscreen", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer",
    "microphone", "midi", "payment", "picture-in-picture", "publickey-credentials-create",
    "publickey-credentials-get", "screen-wake-lock", "serial", "storage-access", "usb",
    "window-management", "xr-spatial-tracking",
)  # fmt: skip
"""Features of browsers that nobody here may ask for; copying a code block is the one that is used."""

ALWAYS: Headers = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": ", ".join(
        ["clipboard-write=(self)", *(f"{name}=()" for name in UNUSED_FEATURES)]
    ).encode(),
}

_CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
NOTHING = f"default-src 'none'; {_CLOSED}"
EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""The digest of no text: the style element into which emotion inserts its rules begins empty."""


class DocumentPolicy:
    """The policy of the built documents in a folder, taken anew when the build is replaced."""

    def __init__(self, build: Path) -> None:
        self._build = build
        self._built: object = None
        self._policy = b""

    def __call__(self) -> bytes:
        """The value of `Content-Security-Policy`."""
        try:
            built = (self._build / "index.html").stat().st_mtime_ns
        except OSError:
            built = 0
        if built != self._built:
            texts = [file.read_text("utf-8") for file in sorted(self._build.rglob("*.html"))]
            self._built, self._policy = built, policy_of(texts).encode()
        return self._policy


def policy_of(documents: list[str], *, inline_styles: bool = False) -> str:
    """The strictest policy under which these documents work; `inline_styles` lets them write any style."""
    scripts, styles = set[str](), {EMPTY_STYLE}
    for document in documents:
        found = _Inline(document)
        scripts |= {_digest(text) for text in found.texts["script"]}
        styles |= {_digest(text) for text in found.texts["style"]}
    allowed_styles = ["'unsafe-inline'"] if inline_styles else sorted(styles)
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *sorted(scripts)]),
            " ".join(["style-src 'self'", *allowed_styles]),
            "connect-src 'self'",
            "img-src 'self' data:" if inline_styles else "img-src 'self'",
            "font-src 'self'",
            "object-src 'none'",
            _CLOSED,
        ]
    )


def security_headers(build: Path, settings: Settings) -> Callable[[AsgiApp], AsgiApp]:
    """Return middleware for the whole server; `build` is the folder of the built page."""
    document = DocumentPolicy(build)
    proxies = TrustedPeers(settings.trusted_proxies)

    def around(app: AsgiApp) -> AsgiApp:
        async def guarding(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            https = is_https(proxies.as_the_browser_sent(scope))
            ours = {b"strict-transport-security": b"max-age=%d" % YEAR_SECONDS} if https else {}

            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    given: list[tuple[bytes, bytes]] = list(message.get("headers", []))
                    policy = document() if _is_document(scope, given) else NOTHING.encode()
                    wanted = {**ALWAYS, **ours, b"content-security-policy": policy}
                    present = {name.lower() for name, _ in given}
                    added = [(name, value) for name, value in wanted.items() if name not in present]
                    message = {**message, "headers": [*given, *added]}
                await send(message)

            await app(scope, receive, sending)

        return guarding

    return around


def _is_document(scope: Scope, headers: list[tuple[bytes, bytes]]) -> bool:
    """A document that the browser has kept (304) comes without a type; its policy is updated by ours."""
    if scope["path"].startswith("/api/"):
        return False
    types = [value.lower() for name, value in headers if name.lower() == b"content-type"]
    if types:
        return types[0].startswith(b"text/html")
    return "." not in scope["path"].rpartition("/")[2] or scope["path"].endswith(".html")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class _Inline(HTMLParser):
    """The texts of the inline scripts and styles of a document, to the character."""

    def __init__(self, document: str) -> None:
        super().__init__(convert_charrefs=False)
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(document.replace("\r\n", "\n"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.texts and "src" not in dict(attrs):
            self._inside = tag
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside][-1] += data
