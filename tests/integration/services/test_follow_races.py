"""Snapshot, follow and finish raced against each other: every reader ends with exactly what is stored."""

import asyncio
import random
from collections.abc import AsyncGenerator

import pytest

from assistant.domain.frames import Cursor, Shown
from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.transcript import checksum
from assistant.settings import Settings
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, LocalProvider, said, turns
from tests.support.opened import OWNER, Assistant, opened

ALPHABET = ["a", "é", "e\u0301", "你", "😀", "👩‍👩‍👧", "\r\n", " "]
RACERS = 5
SIDE_BY_SIDE = 10


class Race:
    """One task with its text, cut at random, and the readers that race it; all of it from one seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.question = f"Race {seed}?"
        self.text = "".join(self.chance.choices(ALPHABET, k=self.chance.randint(1, 60)))
        self.begun = asyncio.Event()

    async def answer(self) -> AsyncGenerator[Delta | Finished]:
        self.begun.set()
        begin = 0
        while begin < len(self.text):
            end = begin + self.chance.randint(1, 12)
            yield said(self.text[begin:end])
            await turns(self.chance.choice((0, 1, 20, 200)))
            begin = end
        yield DONE

    async def run(self, assistant: Assistant) -> None:
        sent = await assistant.send(self.question)
        racers = [self._read(assistant, sent.session_id, sent.task_id) for _ in range(RACERS)]
        await asyncio.gather(*racers)
        assert await assistant.stored(sent.task_id) == self.text

    async def _read(self, assistant: Assistant, session_id: str, task_id: str) -> None:
        if self.chance.random() < 0.8:
            await self.begun.wait()
        await turns(self.chance.randrange(1200))
        snapshot = await assistant.services.restoring.snapshot(OWNER, session_id)
        answer = snapshot.messages[-1]
        assert self.text.startswith(answer.text), "a snapshot shows a part of the truth"
        folded = snapshot.folds.get(task_id)
        shown = Shown(folded.attempt if folded else 1, answer.text)
        await turns(self.chance.randrange(200))
        reader = assistant.follow(
            task_id, Cursor(len(shown.text), shown.attempt, checksum(shown.text)), shown
        )
        await reader.ended(30)
        assert reader.text == self.text
        assert not reader.taken_back
        assert reader.sent == len(self.text) - len(shown.text), "nothing is sent twice"


@pytest.mark.parametrize("seed", [1, 2])
async def test_snapshot_follow_and_finish_raced_250_times_are_exact(settings: Settings, seed: int) -> None:
    """Cases B016, B023, B025, B041."""
    races = {race.question: race for race in (Race(seed * 1000 + number) for number in range(50))}

    def play(request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        return races[request.turns[-1].text].answer()

    async with opened(settings, providers=LocalProvider(play)) as assistant:
        await _run(assistant, list(races.values()))


async def test_the_same_races_over_servers_are_exact(anywhere: Assistant, provider: ScriptedProvider) -> None:
    """Cases B016, B041: a provider behind a line, and a log and a database that are servers."""
    chance = random.Random(3)
    text = "".join(chance.choices(ALPHABET, k=80))

    for _ in range(10):
        provider.say(*(text[begin : begin + 8] for begin in range(0, len(text), 8)))
    for number in range(10):
        race = Race(number)
        race.text = text
        race.begun.set()
        await race.run(anywhere)


async def _run(assistant: Assistant, races: list[Race]) -> None:
    for begin in range(0, len(races), SIDE_BY_SIDE):
        await asyncio.gather(*(race.run(assistant) for race in races[begin : begin + SIDE_BY_SIDE]))
