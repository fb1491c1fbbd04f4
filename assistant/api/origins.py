"""Which pages may open the socket and change something: our own origin, and those the operator named."""

from collections.abc import Collection
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def may_connect(
    origin: str | None,
    host: str | None,
    *,
    allowed: Collection[str] = (),
    two_port_dev: bool = False,
    by_https: bool = False,
    site: str | None = None,
) -> bool:
    """Say whether a page of ``origin`` may connect to the server that it called ``host``.

    ``origin`` and ``host`` are the headers as received. A request without an origin does not come
    from a page, so it passes. A page passes when its host and port are the ones in ``host`` (the
    scheme may differ: a proxy may speak https for us) or when its origin is in ``allowed``. With
    ``two_port_dev``, any loopback page may talk to a loopback host. DESIGN 10, "Allowed origins".

    ``by_https``: the browser is known to have spoken https, so a page that came without it, which anybody on
    the way can write, is another one. ``site`` is the ``Sec-Fetch-Site`` header: a browser that leaves the
    origin away still says there that another page asks.
    """
    if origin is None:
        return site in (None, "none", "same-origin")
    page = _parsed(origin)
    if page is None or page.scheme not in _DEFAULT_PORTS:
        return False
    if origin.rstrip("/").lower() in allowed:
        return True
    if by_https and page.scheme != "https":
        return False
    server = _parsed(f"{page.scheme}://{host}") if host else None
    if server is None:
        return False
    if two_port_dev and page.hostname in _LOOPBACK and server.hostname in _LOOPBACK:
        return True
    return _place(page) == _place(server)


def _parsed(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError when it is no port
    except ValueError:
        return None
    return parts if parts.hostname else None


def _place(parts: SplitResult) -> tuple[str | None, int]:
    return parts.hostname, parts.port or _DEFAULT_PORTS[parts.scheme]
