"""Not too much in a short time: per owner, and per address, so that no one takes what is there for all.

Reading is not limited. What is refused here has stored nothing, no key either, so it can be asked for again.
"""

import ipaddress
import math
from dataclasses import dataclass

from assistant.domain.errors import RateLimited
from assistant.domain.ports import Rates

IPV6_NETWORK_BITS = 64
"""What one household gets; an address of its own for every request costs nothing within it."""


@dataclass(frozen=True, slots=True)
class PerMinute:
    """How often; 0 is without a limit."""

    sends: int = 0
    changes: int = 0
    of_an_address: int = 0
    owners: int = 0


class Limiting:
    """Counts what is asked for, and refuses with RateLimited. An `address` that is unknown does not count."""

    def __init__(self, rates: Rates, per_minute: PerMinute) -> None:
        self._rates = rates
        self._most = per_minute

    async def send(self, owner_id: str, address: str) -> None:
        """The owner asks a model for something."""
        await self._take(f"address:{place_of(address)}", self._most.of_an_address if address else 0)
        await self._take(f"send:{owner_id}", self._most.sends)

    async def change(self, owner_id: str, address: str) -> None:
        """The owner changes something else."""
        await self._take(f"address:{place_of(address)}", self._most.of_an_address if address else 0)
        await self._take(f"change:{owner_id}", self._most.changes)

    async def attempt(self, address: str) -> None:
        """Somebody without an owner tries something, for example a code."""
        await self._take(f"address:{place_of(address)}", self._most.of_an_address if address else 0)

    async def new_owner(self, address: str) -> None:
        """An anonymous owner is made."""
        await self._take(f"owner:{place_of(address)}", self._most.owners if address else 0)

    async def _take(self, name: str, per_minute: int) -> None:
        if not per_minute:
            return
        seconds = await self._rates.take(name, per_minute)
        if seconds > 0:
            wait = max(1, math.ceil(seconds))
            raise RateLimited(f"Too much in a short time; again in {wait} s.", retry_after=wait)


def place_of(address: str) -> str:
    """What is counted together with an address: itself, and of IPv6 its network."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, IPV6_NETWORK_BITS), strict=False).network_address)
    return str(parsed)
