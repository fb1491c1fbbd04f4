"""Keys and when they expire, for a store that frees an expired key only when it is asked about it.

burner-redis is such a store: without being asked, an embedded process would keep every log for ever.
"""

import heapq
import time
from collections.abc import Callable


class Expiries:
    """Remembers each key's latest deadline. Times are seconds of `monotonic`."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._deadlines: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def note(self, key: str, seconds: float) -> None:
        """The key expires so many seconds from now, whatever was noted of it before."""
        deadline = self._monotonic() + seconds
        known = self._deadlines.get(key)
        self._deadlines[key] = deadline
        if known is None or deadline < known:
            heapq.heappush(self._heap, (deadline, key))

    def take(self, most: int) -> list[str]:
        """Up to `most` keys that have expired; each is told once."""
        now = self._monotonic()
        expired: list[str] = []
        while self._heap and self._heap[0][0] < now and len(expired) < most:
            _, key = heapq.heappop(self._heap)
            deadline = self._deadlines.get(key)
            if deadline is None:
                continue
            if deadline >= now:
                heapq.heappush(self._heap, (deadline, key))
                continue
            del self._deadlines[key]
            expired.append(key)
        return expired
