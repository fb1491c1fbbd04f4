"""Random refreshes of answers that go on: characters lost, doubled or sent again (invariants I1 and I7)."""

import asyncio
import random
from contextlib import aclosing
from dataclasses import dataclass

from assistant.domain.transcript import checksum
from tests.bench.figures import Figure, Say
from tests.bench.stand import Owner, Reader, Stand, scripted
from tests.bench.texts import chunks, mixed
from tests.bench.thin_client import Event
from tests.support.llm_server import ScriptedProvider

REFRESHES = 1_000
READERS = 10
LENGTH = 24_000
CHUNK = 24
PACE_SECONDS = 0.02


@dataclass(slots=True)
class _Count:
    refreshes: int = 0
    wrong: int = 0
    received: int = 0
    missing: int = 0
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class _Asked:
    owner: Owner
    session_id: str
    task_id: str
    text: str


async def refresh(say: Say) -> list[Figure]:
    """A thousand cuts at random moments; what is shown is compared with what the provider said."""
    count = _Count()
    async with scripted() as (stand, provider):
        asked = [await _ask(stand, provider, number) for number in range(READERS)]
        say(f"refresh: {READERS} answers of {LENGTH} characters are under way")
        readings = [asyncio.create_task(_read(each, count, seed)) for seed, each in enumerate(asked)]
        while True:
            _, left = await asyncio.wait(readings, timeout=10)
            say(f"refresh: {count.refreshes} refreshes")
            if not left:
                break
        for reading in readings:
            reading.result()
    return [
        Figure("refresh", "lost or doubled characters", count.wrong, "", 0, f"{count.refreshes} refreshes"),
        Figure(
            "refresh",
            "re-sent / missing characters",
            count.received / count.missing,
            "",
            1.1,
            f"text kept; {count.replaced} replaced",
        ),
    ]


async def _ask(stand: Stand, provider: ScriptedProvider, number: int) -> _Asked:
    text = mixed(LENGTH, seed=number)
    script = provider.script()
    for chunk in chunks(text, CHUNK):
        script.say(chunk).pause(PACE_SECONDS)
    owner = await stand.owner()
    sent = await owner.send(f"question {number}")
    await provider.called(number + 1)
    return _Asked(owner, sent["session_id"], sent["task_id"], text)


async def _read(asked: _Asked, count: _Count, seed: int) -> None:
    """Read, cut at a random moment, refresh in one of the ways a page has, until the answer is closed."""
    dice = random.Random(seed)
    reader = Reader(asked.task_id)
    refreshes = 0
    while reader.closed is None:
        last = refreshes >= REFRESHES // READERS
        await _until_cut(asked, reader, count, events=None if last else dice.randrange(1, 10))
        count.wrong += _differs(reader.text, asked.text[: len(reader.text)])
        if reader.closed is None:
            refreshes += 1
            count.refreshes += 1
            if dice.random() < 0.3:
                await _restore(asked, reader, count)
    count.wrong += _differs(reader.text, asked.text)


async def _until_cut(asked: _Asked, reader: Reader, count: _Count, events: int | None) -> None:
    """Follow from where the reader stands, for so many events, or to the end."""
    stood, received, replaced = len(reader.text), reader.received, reader.replaced
    async with asked.owner.line() as line, aclosing(line.events(reader.target)) as following:
        async for event in following:
            if event.name == "text":
                count.wrong += _hole(reader, event)
            reader.take(event)
            if events is not None and (events := events - 1) <= 0:
                break
    count.received += reader.received - received
    count.missing += max(len(reader.text) - stood, 0)
    count.replaced += reader.replaced - replaced


async def _restore(asked: _Asked, reader: Reader, count: _Count) -> None:
    """A new page: the snapshot's text takes the place of what was shown."""
    answered = await asked.owner.call("GET", f"/api/sessions/{asked.session_id}")
    message = answered.data["messages"][-1]
    count.wrong += _differs(message["text"], asked.text[: len(message["text"])])
    # Text that was shown must not be taken back.
    count.wrong += max(len(reader.text) - len(message["text"]), 0)
    reader.text = message["text"]
    reader.attempt = answered.data["tasks"][0]["attempt"] if answered.data["tasks"] else reader.attempt


def _hole(reader: Reader, event: Event) -> int:
    return max(event.data["offset"] - len(reader.text), 0)


def _differs(shown: str, truth: str) -> int:
    if shown == truth or checksum(shown) == checksum(truth):
        return 0
    wrong = sum(one != other for one, other in zip(shown, truth, strict=False))
    return wrong + abs(len(shown) - len(truth))
