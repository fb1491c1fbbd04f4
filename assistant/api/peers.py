"""Which peers are trusted proxies, whose forwarded headers are believed."""

from collections.abc import Iterable, MutableMapping
from ipaddress import IPv6Address, ip_address, ip_network
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
        if not client or not self._networks:
            return False
        try:
            address = ip_address(client[0])
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)


def header(scope: Scope, name: str) -> str | None:
    """The value of a request header given in lower case; several of a name are joined as HTTP says."""
    wanted = name.lower().encode("latin-1")
    values = [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == wanted]
    if not values:
        return None
    return ("; " if wanted == b"cookie" else ", ").join(values)
