"""Wait for a condition by polling it, never by sleeping for a guessed time."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")

POLL_SECONDS = 0.02


async def eventually(
    check: Callable[[], Awaitable[T] | T],
    within: float = 5.0,
    *,
    every: float = POLL_SECONDS,
) -> T:
    """Return the first truthy value of ``check()``, called again until ``within`` seconds passed.

    ``check`` may be plain or async. An ``AssertionError`` that it raises counts as "not yet";
    any other exception is a real failure and goes through at once. When time is up the last
    ``AssertionError`` is raised again, or one that shows the last value.
    """
    deadline = time.monotonic() + within
    while True:
        outcome = _Attempt[T]()
        try:
            value = check()
            outcome.value = await value if inspect.isawaitable(value) else value
        except AssertionError as refusal:
            outcome.refusal = refusal
        if outcome.succeeded:
            return outcome.result()
        if time.monotonic() >= deadline:
            raise outcome.failure(check, within)
        await asyncio.sleep(every)


def eventually_sync(
    check: Callable[[], T],
    within: float = 5.0,
    *,
    every: float = POLL_SECONDS,
) -> T:
    """Do what ``eventually`` does, outside an event loop."""
    deadline = time.monotonic() + within
    while True:
        outcome = _Attempt[T]()
        try:
            outcome.value = check()
        except AssertionError as refusal:
            outcome.refusal = refusal
        if outcome.succeeded:
            return outcome.result()
        if time.monotonic() >= deadline:
            raise outcome.failure(check, within)
        time.sleep(every)


class _Attempt(Generic[T]):
    """One call of the check: its value, or the assertion that it raised."""

    value: T | None = None
    refusal: AssertionError | None = None

    @property
    def succeeded(self) -> bool:
        return self.refusal is None and bool(self.value)

    def result(self) -> T:
        assert self.value is not None
        return self.value

    def failure(self, check: Callable[[], object], within: float) -> AssertionError:
        if self.refusal is not None:
            self.refusal.add_note(f"still so after {within:g} s")
            return self.refusal
        name = getattr(check, "__name__", repr(check))
        return AssertionError(f"{name} was still {self.value!r} after {within:g} s")
