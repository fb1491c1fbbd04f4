"""The eight steps of a restore with their times, for the debug panel (DESIGN 7)."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TypedDict

import reflex as rx

NAMES = (
    "session_id",
    "snapshot",
    "history",
    "mapping",
    "streaming",
    "tools",
    "decisions",
    "draft",
)


class StepRow(TypedDict):
    """One step and how long it took, in milliseconds."""

    name: str
    ms: float


class Steps:
    """Times the steps of one restore."""

    def __init__(self) -> None:
        self._took = dict.fromkeys(NAMES, 0.0)

    @contextmanager
    def step(self, name: str) -> Generator[None]:
        """Time one step; a step taken twice adds up."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._took[name] += (time.perf_counter() - begun) * 1000

    def rows(self) -> list[StepRow]:
        """All eight, in order."""
        return [{"name": name, "ms": round(took, 2)} for name, took in self._took.items()]


class Debug(rx.State):
    """What the debug panel shows."""

    steps: rx.Field[list[StepRow]] = rx.field(default_factory=list)
    differences: rx.Field[list[str]] = rx.field(default_factory=list)
    simulated: rx.Field[int] = rx.field(0)
