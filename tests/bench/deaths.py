"""kill -9 in mid-answer: how soon what is stored and shown is true again."""

import asyncio
import time
from contextlib import aclosing
from typing import Any

from tests.bench.figures import Figure, Say
from tests.bench.stand import Owner, Reader, Stand, cluster, embedded
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider

ROUNDS = 3
BEFORE, AFTER = "The text so far. 你好 👩‍👩‍👧", " And the rest."
BOUND_SECONDS = 5
CONTINUES = {"ASSISTANT_MODEL_CONTINUES_PREFIX": "true"}


async def kill_worker(say: Say) -> list[Figure]:
    """A worker dies under its answer; its reader stays connected to the process that serves."""
    interrupted = await _workers_die(say, {})
    continued = await _workers_die(say, CONTINUES)
    return [
        Figure("kill-worker", "until failed(interrupted), longest", max(interrupted), "s", BOUND_SECONDS),
        Figure("kill-worker", "until another worker goes on, longest", max(continued), "s", BOUND_SECONDS),
    ]


async def kill_server(say: Say) -> list[Figure]:
    """The only process dies and is started again."""
    started, ready = [], []
    with ScriptedProvider() as provider, embedded(provider.url) as stand:
        owner = await stand.owner()
        for number in range(ROUNDS):
            reader = await _in_mid_answer(provider, owner)
            stand.app.kill()
            at = time.monotonic()
            await asyncio.to_thread(stand.app.start)
            healthy = time.monotonic()
            await _read(owner, reader)
            started.append(time.monotonic() - at)
            ready.append(time.monotonic() - healthy)
            _must_be_interrupted(reader)
            say(f"kill-server: {started[-1]:.1f} s, {number + 1} of {ROUNDS}")
    return [
        Figure("kill-server", "process start to the truth, longest", max(started), "s", BOUND_SECONDS),
        Figure("kill-server", "ready to the truth, longest", max(ready), "s"),
    ]


async def _workers_die(say: Say, more: dict[str, str]) -> list[float]:
    times: list[float] = []
    with ScriptedProvider() as provider, cluster(provider.url, 1, more) as stand:
        owner = await stand.owner()
        for number in range(ROUNDS):
            times.append(await _worker_dies(stand, provider, owner, goes_on=bool(more)))
            say(f"kill-worker: {times[-1]:.1f} s, {number + 1} of {ROUNDS}")
    return times


async def _worker_dies(stand: Stand, provider: ScriptedProvider, owner: Owner, *, goes_on: bool) -> float:
    """Seconds from the kill to the truth at a connected reader; another worker is there by then."""
    reader, holder = await _in_mid_answer(provider, owner), stand.workers[-1]
    stand.workers.append(await asyncio.to_thread(stand.app.worker))
    if goes_on:
        provider.say(AFTER)
    reading = asyncio.create_task(_read(owner, reader))
    holder.kill()
    at = time.monotonic()
    true_at = await reading
    if goes_on:
        assert reader.text == BEFORE + AFTER, reader
        assert reader.closed is not None
        assert reader.closed["reason"] == "complete", reader.closed
    else:
        _must_be_interrupted(reader)
    return true_at - at


async def _in_mid_answer(provider: ScriptedProvider, owner: Owner) -> Reader:
    """A reader that shows the first half of an answer, which then stands still and is in the row."""
    number = len(provider.calls) + 1
    provider.script().say(BEFORE).hold()
    sent = await owner.send("a question")
    await provider.called(number)
    reader = Reader(sent["task_id"])
    async with owner.line() as line, aclosing(line.events(reader.target)) as following:
        async for event in following:
            if reader.take(event) and reader.text == BEFORE:
                break

    async def is_stored() -> bool:
        return (await owner.call("GET", f"/api/tasks/{reader.task_id}")).data["offset"] == len(BEFORE)

    await eventually(is_stored)
    return reader


async def _read(owner: Owner, reader: Reader) -> float:
    """Read to the end; returns when the reader was told the end or more text, whichever came first."""
    told: float | None = None
    async with owner.line() as line, aclosing(line.events(reader.target)) as following:
        async for event in following:
            more = reader.take(event) and bool(_text(event.data))
            if told is None and (more or reader.closed is not None):
                told = event.at
    assert told is not None
    return told


def _text(shape: dict[str, Any]) -> str:
    return shape["text"]


def _must_be_interrupted(reader: Reader) -> None:
    assert reader.text == BEFORE, reader
    assert reader.closed is not None
    assert (reader.closed["state"], reader.closed["reason"]) == ("failed", "interrupted"), reader.closed
