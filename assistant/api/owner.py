"""The owner of a request: minted on the document, carried by a signed cookie, asked for by every route.

    document, or GET /api/owner, without a valid seal  ->  a new anonymous owner, Set-Cookie
    TRUSTED_USER_HEADER from a trusted proxy           ->  the named owner, for this request
    anything else                                      ->  as it came; routes answer 401 owner_missing

Whatever was decided is put into the request's own cookie header, so that what stands behind, the
socket's handlers included, reads one place.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from assistant.api import wire
from assistant.api.peers import TrustedPeers, header
from assistant.domain.errors import OwnerMissing
from assistant.domain.times import SystemClock
from assistant.services.owner_seal import COOKIE, KnownOwner, OwnerSeal, named
from assistant.settings import Settings

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

YEAR_SECONDS = 365 * 24 * 3600
OWNER_PATH = "/api/owner"
READS = ("GET", "HEAD")

_NEVER_A_DOCUMENT = ("/api", "/_", "/assets", "/ping", "/health", "/metrics")

router = APIRouter(tags=["owner"])


def seal_of(settings: Settings) -> OwnerSeal:
    """The seal of these settings; the key is made or read at its first use, not now."""
    return OwnerSeal(lambda: settings.secret_key.get_secret_value())


async def owner(request: Request) -> KnownOwner:
    """The owner of the request; raises OwnerMissing."""
    seal: OwnerSeal = request.app.state.seal
    found = seal.owner_of(header(request.scope, "cookie"), request.headers.get("authorization"))
    if found is None:
        raise OwnerMissing()
    if request.method not in READS:
        await request.app.state.held.get().knowing.know(found)
    return found


AnOwner = Annotated[KnownOwner, Depends(owner)]


@router.get(OWNER_PATH, summary="Who I am; sets the cookie when there is none")
async def who_am_i(owner: AnOwner) -> wire.Owner:
    """An owner without a name is known by the cookie alone."""
    return wire.Owner(id=owner.id, kind=owner.kind, name=owner.name)


def owner_cookie(settings: Settings) -> Callable[[AsgiApp], AsgiApp]:
    """Return middleware for the whole server, page, API and socket."""
    seal, clock = seal_of(settings), SystemClock()
    proxies = TrustedPeers(settings.trusted_proxies)
    user_header = settings.trusted_user_header

    def around(app: AsgiApp) -> AsgiApp:
        async def knowing(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] not in ("http", "websocket"):
                await app(scope, receive, send)
                return
            trusted = proxies.vouch_for(scope)
            name = (header(scope, user_header) or "").strip() if trusted and user_header else ""
            if name:
                await app(_as(scope, seal.seal(named(name))), receive, send)
                return
            asks = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == OWNER_PATH
            if not asks and not _may_be_document(scope):
                await app(scope, receive, send)
                return
            if seal.owner_of(header(scope, "cookie"), header(scope, "authorization")) is not None:
                await app(scope, receive, send)
                return
            value = seal.seal(KnownOwner(clock.id()))
            cookie = _set_cookie(value, secure=_is_https(scope, trusted=trusted))
            await app(_as(scope, value), receive, _setting(cookie, send, always=asks))

        return knowing

    return around


def _may_be_document(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith(_NEVER_A_DOCUMENT):
        return False
    if header(scope, "sec-fetch-dest") not in (None, "document", "iframe"):
        return False
    accepted = header(scope, "accept") or "*/*"
    return "text/html" in accepted or "*/*" in accepted


def _setting(cookie: bytes, send: Send, *, always: bool) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and (always or _is_document(message)):
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() != b"cache-control"]
            # Without it a shared cache could hand one owner's cookie to everybody.
            private = (b"cache-control", b"private, no-cache")
            message = {**message, "headers": [*kept, private, (b"set-cookie", cookie)]}
        await send(message)

    return sending


def _is_document(start: Message) -> bool:
    """A 304 says no type: it is about the document that the browser has kept."""
    types = [value for name, value in start.get("headers", []) if name.lower() == b"content-type"]
    return start["status"] == 304 or any(value.lower().startswith(b"text/html") for value in types)


def _as(scope: Scope, value: str) -> Scope:
    """The request as if it had come with this seal, which counts before any other."""
    ours = f"{COOKIE}={value}"
    cookies = header(scope, "cookie")
    kept = [pair for pair in scope["headers"] if pair[0].lower() not in (b"cookie", b"authorization")]
    line = f"{ours}; {cookies}" if cookies else ours
    return {**scope, "headers": [*kept, (b"cookie", line.encode("latin-1"))]}


def _set_cookie(value: str, *, secure: bool) -> bytes:
    line = f"{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={YEAR_SECONDS}"
    return (line + "; Secure" if secure else line).encode("latin-1")


def _is_https(scope: Scope, *, trusted: bool) -> bool:
    forwarded = header(scope, "x-forwarded-proto") if trusted else None
    scheme = forwarded.split(",")[0].strip() if forwarded else scope.get("scheme", "http")
    return scheme.lower() == "https"
