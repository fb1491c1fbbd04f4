"""Wrong tries, counted by address and in total, so that nobody gets to guess (decision 0019).

Counted in this process alone: several of them allow as many times more, which 40 bits bear.
"""

from collections import deque
from datetime import datetime, timedelta
from math import ceil

from assistant.domain.errors import TooManyTries
from assistant.domain.ports import Clock

WINDOW_SECONDS = 600
MOST_OF_ADDRESS = 10
MOST_IN_TOTAL = 100


class WrongTries:
    """What was tried in the last minutes and was wrong, or is not known yet to be right."""

    def __init__(
        self, clock: Clock, *, of_address: int = MOST_OF_ADDRESS, in_total: int = MOST_IN_TOTAL
    ) -> None:
        self._clock = clock
        self._of_address = of_address
        self._in_total = in_total
        self._tries: deque[tuple[datetime, str]] = deque()

    def begin(self, address: str) -> tuple[datetime, str]:
        """Count a try before it is looked at, so that many at once are many. TooManyTries, with the seconds
        after which another may be made, when there were too many."""
        now = self._clock.now()
        window = timedelta(seconds=WINDOW_SECONDS)
        while self._tries and self._tries[0][0] <= now - window:
            self._tries.popleft()
        same = [at for at, other in self._tries if other == address]
        oldest = (
            same[-self._of_address]
            if len(same) >= self._of_address
            else self._tries[-self._in_total][0]
            if len(self._tries) >= self._in_total
            else None
        )
        if oldest is not None:
            raise TooManyTries(retry_after=max(1, ceil((oldest + window - now).total_seconds())))
        counted = (now, address)
        self._tries.append(counted)
        return counted

    def forgive(self, counted: tuple[datetime, str]) -> None:
        """It was not wrong."""
        if counted in self._tries:
            self._tries.remove(counted)
