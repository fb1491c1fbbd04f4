"""How long a piece of text is under way from the provider to a reader, while many answers are written.

The provider is a process of its own, 50 events a second in every answer; each event says when it was
sent, and every reader follows one answer by SSE.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from functools import partial
from typing import Any

from tests.bench.figures import Figure, Say, median, quantile
from tests.bench.stand import Owner, Stand, cluster, embedded
from tests.bench.ticking_provider import STAMP, ticking

EVENTS_A_SECOND = 50
SECONDS = 20.0
SETTLING_SECONDS = 6.0
"""The answers begin one after the other; what is sent before this is not counted."""

SLOTS = {"ASSISTANT_RUNNER_SLOTS": "400"}


def in_one_process(streams: int, bound: float | None) -> Callable[[Say], Coroutine[Any, Any, list[Figure]]]:
    """The row for so many streams where one process does everything."""
    return partial(_one_process, streams, bound)


def on_the_cluster(streams: int, bound: float | None) -> Callable[[Say], Coroutine[Any, Any, list[Figure]]]:
    """The row for so many streams with valkey, one server and two workers."""
    return partial(_cluster, streams, bound)


async def _one_process(streams: int, bound: float | None, say: Say) -> list[Figure]:
    with ticking(EVENTS_A_SECOND, SECONDS) as url, embedded(url, SLOTS) as stand:
        return await _measure(f"delivery-{streams}", stand, streams, bound, say)


async def _cluster(streams: int, bound: float | None, say: Say) -> list[Figure]:
    with ticking(EVENTS_A_SECOND, SECONDS) as url, cluster(url, 2, SLOTS) as stand:
        return await _measure(f"delivery-cluster-{streams}", stand, streams, bound, say)


async def _measure(row: str, stand: Stand, streams: int, bound: float | None, say: Say) -> list[Figure]:
    owners = [await stand.owner() for _ in range(streams)]
    # Two at a time: sends that pile up are another row's business.
    gate = asyncio.Semaphore(2)
    busy = stand.cpu_seconds()
    began = asyncio.get_running_loop().time()
    results = await asyncio.gather(*(_follow(owner, gate) for owner in owners))
    used = (stand.cpu_seconds() - busy) / (asyncio.get_running_loop().time() - began)
    taken = [late for result in results for late in result]
    say(f"{row}: {len(taken)} events read")
    kept_up = len(taken) / (streams * EVENTS_A_SECOND * (SECONDS - SETTLING_SECONDS))
    return [
        Figure(row, "delivery, p95", quantile(taken, 0.95), "ms", bound, f"{streams} streams"),
        Figure(row, "delivery, p50", median(taken), "ms", None, f"server at {used:.0%} of a core"),
        Figure(row, "delivery, p99", quantile(taken, 0.99), "ms", None, f"{kept_up:.0%} of all events"),
    ]


async def _follow(owner: Owner, gate: asyncio.Semaphore) -> list[float]:
    """The milliseconds that each event was under way; those of the first seconds are left out."""
    async with gate:
        sent = await owner.send("what time is it?")
    taken: list[float] = []
    first: float | None = None
    waiting = ""
    async with (
        owner.line() as line,
        aclosing(line.events(f"/api/tasks/{sent['task_id']}/stream")) as following,
    ):
        async for event in following:
            if event.name == "closed" and event.data["reason"] != "complete":
                raise AssertionError(f"an answer ended as {event.raw!r}: a worker was taken for lost")
            if event.name != "text":
                continue
            waiting += event.data["text"]
            whole = len(waiting) // STAMP * STAMP
            for begin in range(0, whole, STAMP):
                at = int(waiting[begin : begin + STAMP]) / 1e9
                first = at if first is None else first
                if at - first >= SETTLING_SECONDS:
                    taken.append((event.at - at) * 1000)
            waiting = waiting[whole:]
    return taken
