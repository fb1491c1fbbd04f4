"""What a request counts as: a send, another change, or reading, which is free; and how many streams are open.

429 `rate_limited` with `Retry-After`. A request that changes something counts for its owner and its address;
one that asks a model for something is a send.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from fastapi import Request

from assistant.bootstrap import Held
from assistant.domain.errors import NotReady, RateLimited
from assistant.services.limiting import Limiting

SENDS = frozenset(
    {
        "/api/messages",
        "/api/sessions/{id}/queue/send",
        "/api/tasks/{id}/retry",
        "/api/tasks/{id}/continue",
        "/api/tool-calls/{id}/run-again",
        "/api/tool-calls/{id}/mark-done",
    }
)
STREAMS_FULL_SECONDS = 5


async def counted(request: Request, owner_id: str) -> None:
    """Count a request that changes something; raises RateLimited."""
    limiting: Limiting = request.app.state.held.get().limiting
    address = request.client.host if request.client else ""
    if getattr(request.scope.get("route"), "path", "") in SENDS:
        await limiting.send(owner_id, address)
    else:
        await limiting.change(owner_id, address)


async def may_be_new(held: Held, address: str) -> None:
    """Count a new owner of an address; raises RateLimited."""
    try:
        limiting: Limiting = held.get().limiting
    except NotReady:
        return  # nothing that an owner could fill is open yet
    await limiting.new_owner(address)


class StreamsOfOwners:
    """How many streams every owner reads in this process; `most` of them, 0 for any number."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    @contextmanager
    def one_more(self, owner_id: str) -> Generator[None]:
        """Count one for as long as it is open; raises RateLimited."""
        if self._most and self._open[owner_id] >= self._most:
            raise RateLimited("Too many streams are open; close some.", retry_after=STREAMS_FULL_SECONDS)
        self._open[owner_id] += 1
        try:
            yield
        finally:
            self._open[owner_id] -= 1
            if not self._open[owner_id]:
                del self._open[owner_id]
