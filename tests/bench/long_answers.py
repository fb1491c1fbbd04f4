"""Length must not cost: the server's CPU for a resume near the end of a 200,000-character answer."""

from contextlib import aclosing

from assistant.domain.transcript import checksum
from tests.bench.figures import Figure, Say
from tests.bench.stand import Owner, Reader, Stand, scripted, stream_of
from tests.bench.texts import chunks, mixed
from tests.support.llm_server import ScriptedProvider

LONG, LONG_PLACE = 200_000, 199_900
SHORT, SHORT_PLACE = 200, 100
RESUMES = 200
ROUNDS = 3


async def long_answer(say: Say) -> list[Figure]:
    """Resumes of a running and of an ended answer, by SSE; user and system time of the server's process."""
    async with scripted() as (stand, provider):
        owner = await stand.owner()
        texts = {place: mixed(length) for place, length in ((LONG_PLACE, LONG), (SHORT_PLACE, SHORT))}
        readers = {place: await _ask(owner, provider, text) for place, text in texts.items()}
        say("long-answer: both answers stand at their gates")
        running = await _costs(stand, owner, readers, say)
        for script in (call.script for call in provider.calls):
            assert script is not None
            script.release()
        for reader in readers.values():
            await _read(owner, reader, to=None)
        ended = await _costs(stand, owner, readers, say)
    return [
        Figure("long-answer", "CPU at 199,900 / at 100, running", running[0], "", 2, running[1]),
        Figure("long-answer", "CPU at 199,900 / at 100, ended", ended[0], "", 2, ended[1]),
    ]


async def _ask(owner: Owner, provider: ScriptedProvider, text: str) -> Reader:
    number = len(provider.calls) + 1
    provider.script().say(*chunks(text, 100)).hold()
    sent = await owner.send("a question")
    call = await provider.called(number)
    assert call.script is not None
    reader = Reader(sent["task_id"])
    await _read(owner, reader, to=len(text))
    return reader


async def _read(owner: Owner, reader: Reader, *, to: int | None) -> None:
    """Read until `to` characters are shown, or to the end."""
    async with owner.line() as line, aclosing(line.events(reader.target)) as following:
        async for event in following:
            reader.take(event)
            if to is not None and len(reader.text) >= to:
                return


async def _costs(stand: Stand, owner: Owner, readers: dict[int, Reader], say: Say) -> tuple[float, str]:
    """The ratio of the costs of a resume, long to short, and both in words."""
    spent = dict.fromkeys(readers, 0.0)
    for round_ in range(ROUNDS):
        for place, reader in readers.items():
            before = stand.cpu_seconds()
            for _ in range(RESUMES):
                await _resume(owner, reader, place)
            spent[place] += stand.cpu_seconds() - before
        say(f"long-answer: round {round_ + 1} of {ROUNDS}")
    each = {place: 1000 * seconds / (ROUNDS * RESUMES) for place, seconds in spent.items()}
    words = f"{each[LONG_PLACE]:.1f} and {each[SHORT_PLACE]:.1f} ms a resume"
    return each[LONG_PLACE] / each[SHORT_PLACE], words


async def _resume(owner: Owner, reader: Reader, place: int) -> None:
    target = stream_of(reader.task_id, place, reader.attempt, checksum(reader.text[:place]))
    async with owner.line() as line, aclosing(line.events(target)) as following:
        async for event in following:
            if event.name == "replace":
                raise AssertionError("a true cursor was answered with the whole text")
            if event.name == "text":
                return
