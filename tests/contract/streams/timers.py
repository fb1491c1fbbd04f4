"""Time that a test moves by hand."""

import asyncio
from collections.abc import Callable


class _Call:
    def __init__(self, when: float, callback: Callable[[], None]) -> None:
        self.when = when
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class HandTimers:
    """`Timers` whose clock stands until `advance`."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._calls: list[_Call] = []

    def time(self) -> float:
        return self._now

    def call_at(self, when: float, callback: Callable[[], None]) -> _Call:
        call = _Call(when, callback)
        self._calls.append(call)
        return call

    @property
    def waiting(self) -> int:
        """How many calls are still to come."""
        return sum(not call.cancelled for call in self._calls)

    def advance(self, seconds: float) -> None:
        """Move the clock and make the calls that are due, in order."""
        self._now += seconds
        due = sorted((call for call in self._calls if call.when <= self._now), key=lambda c: c.when)
        self._calls = [call for call in self._calls if call.when > self._now]
        for call in due:
            if not call.cancelled:
                call.callback()


async def a_turn(times: int = 1) -> None:
    """Let everything that is ready run, so many times."""
    loop = asyncio.get_running_loop()
    for _ in range(times):
        done = loop.create_future()
        loop.call_soon(done.set_result, None)
        await done
