"""What the server keeps in memory of answers that are over and of readers that went away.

Logs of ended answers live for a second only here: what is left is what nobody would ever free.
"""

from contextlib import aclosing

from tests.bench.figures import Figure, Say
from tests.bench.stand import Owner, Reader, Stand, scripted
from tests.bench.texts import chunks, mixed
from tests.support.llm_script import Script
from tests.support.llm_server import Call

ANSWERS = 500
CUTS = 500
WARM_UP = 50
TEXT = mixed(2_000)
SHORT_LIVED = {"ASSISTANT_LOG_CLOSED_TTL_SECONDS": "1"}


async def memory(say: Say) -> list[Figure]:
    """Resident memory after so many answered tasks, and after so many streams cut by their readers."""
    async with scripted(SHORT_LIVED) as (stand, provider):
        provider.otherwise = _answer
        owner = await stand.owner()
        await _answers(owner, WARM_UP)
        begin = stand.rss_mb()
        await _answers(owner, ANSWERS)
        answered = stand.rss_mb()
        say(f"memory: {ANSWERS} answers")
        held = provider.script().say(TEXT).hold()
        sent = await owner.send("one to be cut")
        await held.held()
        before = stand.rss_mb()
        for _ in range(CUTS):
            await _cut(owner, sent["task_id"])
        after = stand.rss_mb()
        await _nothing_is_open(stand, owner)
    return [
        Figure(
            "memory", f"growth by {ANSWERS} answers", answered - begin, "MB", None, f"from {begin:.0f} MB"
        ),
        Figure("memory", f"growth by {CUTS} cut streams", after - before, "MB"),
    ]


def _answer(call: Call) -> Script:
    return Script().say(*chunks(TEXT, 100))


async def _answers(owner: Owner, count: int) -> None:
    async with owner.line() as line:
        for _ in range(count):
            sent = await owner.send("a question", on=line)
            reader = Reader(sent["task_id"])
            async with owner.line() as following, aclosing(following.events(reader.target)) as events:
                async for event in events:
                    reader.take(event)
            assert reader.text == TEXT


async def _cut(owner: Owner, task_id: str) -> None:
    reader = Reader(task_id)
    async with owner.line() as line, aclosing(line.events(reader.target)) as events:
        async for event in events:
            if reader.take(event):
                return


async def _nothing_is_open(stand: Stand, owner: Owner) -> None:
    """The server has noticed that every reader went away."""
    figures = (await owner.call("GET", "/metrics")).body.decode()
    left = [line for line in figures.splitlines() if line.startswith("assistant_open_streams ")]
    assert float(left[0].split()[1]) < CUTS / 10, left
