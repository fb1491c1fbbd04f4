"""Which peers are trusted proxies, and what they say of the browser behind them."""

from collections.abc import Iterable, MutableMapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

Scope = MutableMapping[str, Any]


class TrustedPeers:
    """The addresses and networks of TRUSTED_PROXIES."""

    def __init__(self, listed: Iterable[str]) -> None:
        """Raises ValueError, naming the setting, for what is neither an address nor a network."""
        try:
            self._networks = tuple(ip_network(entry, strict=False) for entry in listed)
        except ValueError as refusal:
            raise ValueError(f"ASSISTANT_TRUSTED_PROXIES: {refusal}") from None

    def vouch_for(self, scope: Scope) -> bool:
        """Whether the other end of the connection is a trusted proxy."""
        client = scope.get("client")
        return bool(client) and self._lists(str(client[0]))

    def as_the_browser_sent(self, scope: Scope) -> Scope:
        """The request with the scheme and the address of the browser, where a trusted proxy names them.

        What stands behind reads `scheme` and `client` alone. Of several addresses the last counts that is
        not a trusted proxy's: the ones before it are the browser's own word.
        """
        if not self.vouch_for(scope):
            return scope
        seen = dict(scope)
        schemes = (header(scope, "x-forwarded-proto") or "").split(",")
        if scheme := schemes[0].strip().lower():
            secure = scheme in ("https", "wss")
            socket = scope["type"] == "websocket"
            seen["scheme"] = {(True, True): "wss", (True, False): "ws", (False, True): "https"}.get(
                (socket, secure), "http"
            )
        for hop in reversed((header(scope, "x-forwarded-for") or "").split(",")):
            if _address(hop.strip()) is None:
                break
            seen["client"] = (hop.strip(), 0)
            if not self._lists(hop.strip()):
                break
        return seen

    def _lists(self, peer: str) -> bool:
        address = _address(peer)
        return address is not None and any(address in network for network in self._networks)


def is_https(scope: Scope) -> bool:
    """Whether the browser spoke https, by the scheme of a request `as_the_browser_sent` it."""
    return str(scope.get("scheme", "http")).lower() in ("https", "wss")


def header(scope: Scope, name: str) -> str | None:
    """The value of a request header given in lower case; several of a name are joined as HTTP says."""
    wanted = name.lower().encode("latin-1")
    values = [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == wanted]
    if not values:
        return None
    return ("; " if wanted == b"cookie" else ", ").join(values)


def _address(given: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(given)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address
