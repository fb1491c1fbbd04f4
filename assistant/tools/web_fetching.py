"""Fetching one document of the web within bounds: hops, seconds, bytes and kinds of content."""

import asyncio
import re
import ssl
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import httpx

from assistant.tools.definitions import ToolFailed
from assistant.tools.web_addresses import (
    BETWEEN_BYTES_SECONDS,
    CONNECT_SECONDS,
    AddressRefused,
    CheckedTransport,
    HostUnknown,
    MayConnect,
    Resolve,
)

LONGEST_URL = 2000
MOST_REDIRECTS = 5

_READABLE = re.compile(r"text/.+|application/(json|xml|xhtml\+xml|[a-z0-9.-]+\+(json|xml))")
_ASKED_FOR = "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8, application/xml;q=0.7"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a document is fetched, and for how long."""

    seconds: float = 20.0
    """For all hops together."""

    most_bytes: int = 1_048_576
    """Of the document, unpacked; the rest is left."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document, or its beginning when `cut`."""

    url: str
    content_type: str
    charset: str | None
    body: bytes
    cut: bool


class Fetching:
    """Fetches documents over connections that `may_connect` allows; carries nothing from one to the next."""

    def __init__(self, resolve: Resolve, may_connect: MayConnect, bounds: Bounds) -> None:
        self._resolve = resolve
        self._may_connect = may_connect
        self._bounds = bounds

    async def fetch(self, url: str) -> Fetched:
        """The document at a URL after its redirects, each of which is checked like the first URL.

        Raises ToolFailed, in words, for whatever is not to be had.
        """
        try:
            async with asyncio.timeout(self._bounds.seconds):
                return await self._follow(url)
        except AddressRefused:
            raise ToolFailed("This address is not one of the public web.") from None
        except HostUnknown:
            raise ToolFailed("There is no host of this name.") from None
        except (TimeoutError, httpx.TimeoutException):
            raise ToolFailed("The page did not come in time.") from None
        except (httpx.HTTPError, ssl.SSLError, zlib.error, OSError):
            raise ToolFailed("The page could not be fetched: the connection failed or broke off.") from None

    async def _follow(self, url: str) -> Fetched:
        transport = CheckedTransport(_trust(), self._resolve, self._may_connect)
        timeout = httpx.Timeout(BETWEEN_BYTES_SECONDS, connect=CONNECT_SECONDS)
        headers = {"Accept": _ASKED_FOR, "Accept-Encoding": "gzip", "User-Agent": "assistant-web-page/1.0"}
        async with httpx.AsyncClient(
            transport=transport, timeout=timeout, headers=headers, trust_env=False
        ) as client:
            for _ in range(MOST_REDIRECTS + 1):
                # Set-Cookie of one hop is not for the next.
                client.cookies.clear()
                async with client.stream("GET", _allowed(url), follow_redirects=False) as response:
                    if not response.has_redirect_location:
                        return await self._read(response)
                    url = _joined(response.url, response.headers["Location"])
        raise ToolFailed(f"The page redirects more than {MOST_REDIRECTS} times.")

    async def _read(self, response: httpx.Response) -> Fetched:
        if not response.is_success:
            raise ToolFailed(f"The server answered {response.status_code} and not the page.")
        declared, _, _ = response.headers.get("Content-Type", "text/plain").partition(";")
        content_type = declared.strip().lower()
        if not _READABLE.fullmatch(content_type):
            raise ToolFailed(f"The page is no text: {content_type[:80]!r}.")
        unpack = _unpacking(response.headers.get("Content-Encoding", "identity").strip().lower())
        body = bytearray()
        room = self._bounds.most_bytes + 1
        async for chunk in response.aiter_raw():
            body += unpack(chunk, room - len(body))
            if len(body) >= room:
                break
        return Fetched(
            url=str(response.url),
            content_type=content_type,
            charset=response.charset_encoding,
            body=bytes(body[: room - 1]),
            cut=len(body) >= room,
        )


def _allowed(url: str) -> httpx.URL:
    if len(url) > LONGEST_URL:
        raise ToolFailed(f"The URL has more than {LONGEST_URL:,} characters.")
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise ToolFailed("This is no URL that can be read.") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ToolFailed("Only URLs that begin with http:// or https:// can be read.")
    if parsed.userinfo:
        raise ToolFailed("A URL with a user name or a password is not read.")
    return parsed


def _joined(here: httpx.URL, location: str) -> str:
    try:
        return str(here.join(location))
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise ToolFailed("The page redirects to something that is no URL.") from None


def _unpacking(encoding: str) -> Callable[[bytes, int], bytes]:
    """From a chunk and the room that is left to at most so many bytes, however much a chunk was packed."""
    if encoding in ("", "identity"):
        return lambda chunk, room: chunk[:room]
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ToolFailed(f"The page is packed in a way that cannot be read: {encoding[:80]!r}.")
    unpacked = zlib.decompressobj(wbits=32 + zlib.MAX_WBITS)
    return lambda chunk, room: unpacked.decompress(chunk, max(room, 1))[:room]


@cache
def _trust() -> ssl.SSLContext:
    return httpx.create_ssl_context()
