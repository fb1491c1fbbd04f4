"""The owner of a request: minted on the document, carried by a signed cookie, asked for by every route.

    document, or GET /api/owner, without a valid seal  ->  a new anonymous owner, Set-Cookie
    TRUSTED_USER_HEADER from a trusted proxy           ->  the named owner, for this request
    anything else                                      ->  as it came; routes answer 401 owner_missing
    DELETE /api/owner                                  ->  the cookie is taken back, nothing else

Whatever was decided is put into the request's own cookie header, and what a trusted proxy says of the browser
into scheme and client, so that what stands behind, the socket's handlers included, reads one place. Behind
https the cookie has a name that no other host can set, and the plain one counts for nothing there.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from assistant.api import wire
from assistant.api.errors import problem
from assistant.api.peers import TrustedPeers, header, is_https
from assistant.api.rates import counted, may_be_new
from assistant.bootstrap import Held
from assistant.domain.errors import OwnerMissing, RateLimited
from assistant.domain.times import SystemClock
from assistant.services.owner_seal import COOKIE, SECURE_COOKIE, KnownOwner, OwnerSeal, named
from assistant.settings import Settings

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

YEAR_SECONDS = 365 * 24 * 3600
OWNER_PATH = "/api/owner"
READS = ("GET", "HEAD")

FORGOTTEN_PATH = "/forgotten.html"
"""What a browser shows that was forgotten: nobody is there any more, and nobody new yet."""

_NEVER_A_DOCUMENT = ("/api", "/shared/", "/_", "/assets", "/ping", "/health", "/metrics", FORGOTTEN_PATH)

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
        await counted(request, found.id)
        await request.app.state.held.get().knowing.know(found)
    return found


AnOwner = Annotated[KnownOwner, Depends(owner)]


@router.get(OWNER_PATH, summary="Who I am; sets the cookie when there is none")
async def who_am_i(owner: AnOwner) -> wire.Owner:
    """An owner without a name is known by the cookie alone."""
    return wire.Owner(id=owner.id, kind=owner.kind, name=owner.name)


def gives_cookie(request: Request, response: Response, owner: KnownOwner) -> None:
    """Have the answer make the browser one of this owner's devices."""
    cookie = _set_cookie(request.app.state.seal.seal(owner), secure=is_https(request.scope))
    response.headers.append("set-cookie", cookie.decode("latin-1"))


@router.delete(OWNER_PATH, status_code=204, summary="Forget this browser: takes the cookie back")
async def forget(request: Request) -> Response:
    """What the owner has stays, and what runs goes on; whoever has linked no other device cannot reach it
    any more."""
    answer = Response(status_code=204)
    for line in _forgotten(request.scope):
        answer.raw_headers.append((b"set-cookie", line))
    return answer


def owner_cookie(settings: Settings, held: Held | None = None) -> Callable[[AsgiApp], AsgiApp]:
    """Return middleware for the whole server, page, API and socket; `held` limits how many owners it makes.

    A document over the limit is served all the same, and says that its browser is not known.
    """
    seal, clock = seal_of(settings), SystemClock()
    proxies = TrustedPeers(settings.trusted_proxies)
    user_header = settings.trusted_user_header

    def around(app: AsgiApp) -> AsgiApp:
        async def knowing(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] not in ("http", "websocket"):
                await app(scope, receive, send)
                return
            trusted = proxies.vouch_for(scope)
            scope = _one_name(proxies.as_the_browser_sent(scope))
            name = (header(scope, user_header) or "").strip() if trusted and user_header else ""
            if name:
                await app(_as(scope, seal.seal(named(name))), receive, send)
                return
            asks = _asks_who(scope)
            if not asks and not _may_be_document(scope):
                await app(scope, receive, send)
                return
            if seal.owner_of(header(scope, "cookie"), header(scope, "authorization")) is not None:
                await app(scope, receive, send)
                return
            try:
                if held is not None:
                    await may_be_new(held, str(scope["client"][0]) if scope.get("client") else "")
            except RateLimited as refusal:
                await (problem(refusal) if asks else app)(scope, receive, send)
                return
            value = seal.seal(KnownOwner(clock.id()))
            cookie = _set_cookie(value, secure=is_https(scope))
            await app(_as(scope, value), receive, _setting(cookie, send, always=asks))

        return knowing

    return around


def _asks_who(scope: Scope) -> bool:
    """Another site's page gets nobody a new owner by asking."""
    asked = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == OWNER_PATH
    return asked and header(scope, "sec-fetch-site") != "cross-site"


def _may_be_document(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith(_NEVER_A_DOCUMENT):
        return False
    if header(scope, "sec-fetch-dest") not in (None, "document"):
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


def _one_name(scope: Scope) -> Scope:
    """Behind https only the cookie with the safe name counts, and goes on under the plain one."""
    cookies = header(scope, "cookie")
    if cookies is None or not is_https(scope):
        return scope
    kept = [pair for pair in cookies.split(";") if pair.strip().partition("=")[0] != COOKIE]
    ours = [
        pair.strip().removeprefix("__Host-") if pair.strip().startswith(SECURE_COOKIE + "=") else pair
        for pair in kept
    ]
    others = [pair for pair in scope["headers"] if pair[0].lower() != b"cookie"]
    return {**scope, "headers": [*others, (b"cookie", ";".join(ours).encode("latin-1"))]}


def _set_cookie(value: str, *, secure: bool) -> bytes:
    kept = f"Path=/; HttpOnly; SameSite=Lax; Max-Age={YEAR_SECONDS}"
    line = f"{SECURE_COOKIE}={value}; {kept}; Secure" if secure else f"{COOKIE}={value}; {kept}"
    return line.encode("latin-1")


def _forgotten(scope: Scope) -> list[bytes]:
    """Under both names behind https: a browser may still hold the plain one of an earlier time."""
    gone = "Path=/; HttpOnly; SameSite=Lax; Max-Age=0"
    plain = [f"{COOKIE}=; {gone}".encode("latin-1")]
    return [*plain, f"{SECURE_COOKIE}=; {gone}; Secure".encode("latin-1")] if is_https(scope) else plain
