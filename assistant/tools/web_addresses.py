"""Which network addresses a tool may connect to, and connections that go to no other.

A name is resolved once a connection, every address that it has is looked at, and the connection goes to
one of these very addresses: a name that means something else a moment later (DNS rebinding) changes nothing.
"""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable

import httpx

MOST_ADDRESSES = 4
"""Tried one after the other; more are not looked at."""

CONNECT_SECONDS = 5.0
BETWEEN_BYTES_SECONDS = 10.0

Resolve = Callable[[str, int], Awaitable[list[str]]]
MayConnect = Callable[[str, int], bool]

_WEB_PORTS = frozenset({80, 443})
_UNICAST = ipaddress.ip_network("2000::/3")
_REFUSED = (
    ipaddress.ip_network("168.63.129.16/32"),  # the platform's own address in one large cloud
    ipaddress.ip_network("192.0.0.0/24"),  # of protocols; not every Python of ours knows it as such
    ipaddress.ip_network("192.88.99.0/24"),  # 6to4 relays
    ipaddress.ip_network("2001::/23"),  # Teredo and other tunnels, which carry an IPv4 address
    ipaddress.ip_network("2002::/16"),  # 6to4, the same
    ipaddress.ip_network("3fff::/20"),  # of examples
)


class AddressRefused(Exception):
    """The host is, or has among its addresses, one that is not of the public internet."""


class HostUnknown(Exception):
    """There is no such host."""


def is_public(address: str, port: int) -> bool:
    """Whether an address is one of the public internet, and the port one where a web server may be.

    Private, loopback, link-local (the metadata services of clouds), shared, multicast and reserved addresses
    are not, nor are IPv6 addresses that carry an IPv4 one, whatever that is.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if not parsed.is_global or parsed.is_multicast or parsed.is_reserved:
        return False
    if any(parsed in network for network in _REFUSED if network.version == parsed.version):
        return False
    return (parsed.version == 4 or parsed in _UNICAST) and (port in _WEB_PORTS or port >= 1024)


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, in the order of the system; HostUnknown when it has none."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise HostUnknown(host) from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class CheckedTransport(httpx.AsyncBaseTransport):
    """Connects to addresses that `may_connect` allows, each connection for one request.

    TLS is for the name of the URL, not for the address. Raises AddressRefused and HostUnknown.
    """

    def __init__(self, verify: ssl.SSLContext, resolve: Resolve, may_connect: MayConnect) -> None:
        self._resolve = resolve
        self._may_connect = may_connect
        # A kept connection is found by its address, and two sites may share one: none is kept.
        limits = httpx.Limits(max_keepalive_connections=0)
        self._inner = httpx.AsyncHTTPTransport(verify=verify, trust_env=False, limits=limits)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the first allowed address that accepts a connection."""
        host = request.url.raw_host.decode("ascii")
        port = request.url.port or (443 if request.url.scheme == "https" else 80)
        addresses = await self._resolve(host, port)
        if not addresses:
            raise HostUnknown(host)
        if not all(self._may_connect(address, port) for address in addresses):
            raise AddressRefused(host)
        refusal: httpx.TransportError | None = None
        for address in addresses[:MOST_ADDRESSES]:
            try:
                return await self._inner.handle_async_request(_sent_to(address, host, request))
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                refusal = error
        assert refusal is not None
        raise refusal

    async def aclose(self) -> None:
        await self._inner.aclose()


def _sent_to(address: str, host: str, request: httpx.Request) -> httpx.Request:
    # The Host header was made from the URL before and names the host still.
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )
