"""A wake-up call: something waits, others say when at the latest it shall go on."""

import asyncio
from collections.abc import Callable
from typing import Protocol, cast


class TimerHandle(Protocol):
    def cancel(self) -> None: ...


class Timers(Protocol):
    """Time in seconds and calls at a time: what an event loop offers, and what a test moves by hand."""

    def time(self) -> float: ...

    def call_at(self, when: float, callback: Callable[[], None]) -> TimerHandle: ...


def loop_timers() -> Timers:
    """The running loop as timers."""
    return cast(Timers, asyncio.get_running_loop())


class Alarm:
    """Goes off at the earliest of the times asked for; then it is silent until asked again."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._rings = asyncio.Event()
        self._handle: TimerHandle | None = None
        self._when = 0.0

    def now(self) -> None:
        """Go off at once."""
        self.off()
        self._rings.set()

    def at(self, when: float) -> None:
        """Go off at `when`, unless it does so earlier."""
        if self._rings.is_set():
            return
        if when <= self._timers.time():
            self.now()
        elif self._handle is None or when < self._when:
            self.off()
            self._when = when
            self._handle = self._timers.call_at(when, self.now)

    def after(self, seconds: float) -> None:
        """Go off `seconds` from now, unless it does so earlier."""
        self.at(self._timers.time() + seconds)

    def off(self) -> None:
        """Forget what was asked for; an alarm that has gone off already is still heard."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    async def wait(self) -> None:
        """Return when it goes off, and silence it."""
        await self._rings.wait()
        self._rings.clear()
