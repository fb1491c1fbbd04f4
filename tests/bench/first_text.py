"""How soon: the first missing character of a resume, the provider's request, the first byte of an answer."""

import asyncio
import random
import time

from assistant.domain.transcript import checksum
from tests.bench.figures import Figure, Say, median, quantile
from tests.bench.stand import Owner, Reader, Stand, cluster, scripted, stream_of
from tests.bench.texts import chunks, mixed
from tests.bench.thin_client import Line
from tests.support.llm_server import ScriptedProvider

RESUMES = 300
SENDS = 200
WARM_UP = 10
PACE_SECONDS = 0.02
LENGTH = 40_000


async def resume(say: Say) -> list[Figure]:
    """A reader comes back in the middle of an answer that goes on: request sent to first text byte."""
    async with scripted() as (stand, provider):
        text = mixed(LENGTH)
        script = provider.script()
        for chunk in chunks(text, 20):
            script.say(chunk).pause(PACE_SECONDS)
        owner = await stand.owner()
        sent = await owner.send("a long one")
        reader = Reader(sent["task_id"])
        say("resume: an answer is under way")
        async with owner.line() as followed:
            async for event in followed.events(reader.target):
                if reader.take(event) and len(reader.text) > 2_000:
                    break
        alone = await _resumes(owner, reader)
        say(f"resume: {RESUMES} times with nobody else reading")
        async with owner.line() as beside:
            following = asyncio.create_task(_follow(beside, reader.target))
            shared = await _resumes(owner, reader)
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
    return [
        Figure("resume", "first missing character, p50", median(alone), "ms", 10, "the only reader"),
        Figure("resume", "first missing character, p95", quantile(alone, 0.95), "ms"),
        Figure("resume", "the same beside another reader, p50", median(shared), "ms", 10),
        Figure("resume", "the same beside another reader, p95", quantile(shared, 0.95), "ms"),
    ]


async def send(say: Say) -> list[Figure]:
    """Send to the provider's request, and the provider's first byte to the first byte of text."""
    async with scripted() as (stand, provider):
        asked, heard = await _sends(stand, provider, say, "send")
    return [
        Figure("send", "send to provider request, p50", median(asked), "ms", 25, "one process"),
        Figure("send", "send to provider request, p95", quantile(asked, 0.95), "ms"),
        Figure("send", "provider's first byte to SSE, p50", median(heard), "ms", 10, "one process"),
        Figure("send", "provider's first byte to SSE, p95", quantile(heard, 0.95), "ms"),
    ]


async def send_cluster(say: Say) -> list[Figure]:
    """The same where one process serves and another works."""
    with ScriptedProvider() as provider, cluster(provider.url, 1) as stand:
        asked, heard = await _sends(stand, provider, say, "send-cluster")
    return [
        Figure("send-cluster", "send to provider request, p50", median(asked), "ms", None, "two processes"),
        Figure("send-cluster", "send to provider request, p95", quantile(asked, 0.95), "ms"),
        Figure("send-cluster", "provider's first byte to SSE, p50", median(heard), "ms", 40, "two processes"),
        Figure("send-cluster", "provider's first byte to SSE, p95", quantile(heard, 0.95), "ms"),
    ]


async def _resumes(owner: Owner, reader: Reader) -> list[float]:
    dice = random.Random(7)
    taken = []
    for _ in range(WARM_UP + RESUMES):
        place = dice.randrange(1_000, 2_000)
        target = stream_of(reader.task_id, place, reader.attempt, checksum(reader.text[:place]))
        async with owner.line() as line:
            async for event in line.events(target):
                if event.name == "text":
                    taken.append((event.at - line.sent_at) * 1000)
                    break
    return taken[WARM_UP:]


async def _follow(line: Line, target: str) -> None:
    async for _ in line.events(target):
        pass


async def _sends(
    stand: Stand, provider: ScriptedProvider, say: Say, row: str
) -> tuple[list[float], list[float]]:
    owner = await stand.owner()
    asked: list[float] = []
    heard: list[float] = []
    async with owner.line() as sending:
        for number in range(1, WARM_UP + SENDS + 1):
            script = provider.script().hold().say("Hello", " world")
            sent = await owner.send(f"question {number}", on=sending)
            sent_at = sending.sent_at
            call = await provider.called(number)
            asked.append((call.at - sent_at) * 1000)
            released = 0.0
            async with owner.line() as reading:
                async for event in reading.events(f"/api/tasks/{sent['task_id']}/stream"):
                    if event.name == "state" and event.data["state"] == "streaming" and not released:
                        # A little before the provider's first byte: it has to be woken first.
                        released = time.monotonic()
                        script.release()
                    if event.name == "text" and len(heard) < number:
                        heard.append((event.at - released) * 1000)
            if number % 100 == 0:
                say(f"{row}: {number} of {SENDS}")
    return asked[WARM_UP:], heard[WARM_UP:]
