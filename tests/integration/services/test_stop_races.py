"""Stop raced against finish: one winner, and what is shown is what is stored."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator

from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.task import TaskReason
from assistant.settings import Settings
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, LocalProvider, said, turns
from tests.support.opened import OWNER, Assistant, opened

RACES = 200
SIDE_BY_SIDE = 10
WORDS = ["one ", "two ", "three ", "four ", "five"]
WHOLE = "".join(WORDS)


async def test_stop_raced_against_finish_200_times_has_one_winner(settings: Settings) -> None:
    """Cases B086, B089, B095."""
    chance = random.Random(200)
    begun: dict[str, asyncio.Event] = {}
    ending: dict[str, asyncio.Event] = {}

    async def play(request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        name = request.turns[-1].text
        begun[name].set()
        for word in WORDS:
            yield said(word)
            await turns(chance.choice((0, 5, 50)))
        ending[name].set()
        yield DONE

    async def race(assistant: Assistant, name: str) -> TaskReason:
        begun[name], ending[name] = asyncio.Event(), asyncio.Event()
        sent = await assistant.send(name)
        reader = assistant.follow(sent.task_id)
        # Half of the stops come anywhere in the answer, half around its end: while it is being stored.
        if chance.random() < 0.5:
            await begun[name].wait()
            await turns(chance.randrange(500))
        else:
            await ending[name].wait()
            await turns(chance.randrange(8000))
        stopped = await assistant.services.stopping.stop(OWNER, sent.task_id)
        await reader.ended(30)
        return await _one_winner(assistant, sent.task_id, reader.text, stopped.reason)

    reasons: Counter[TaskReason] = Counter()
    async with opened(settings, providers=LocalProvider(play)) as assistant:
        for first in range(0, RACES, SIDE_BY_SIDE):
            names = [f"race {number}" for number in range(first, first + SIDE_BY_SIDE)]
            reasons.update(await asyncio.gather(*(race(assistant, name) for name in names)))

    assert reasons.total() == RACES
    assert min(reasons[TaskReason.STOPPED], reasons[TaskReason.COMPLETE]) > 10, "both may win"


async def test_the_same_race_with_a_provider_behind_a_line(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B097: the log and the database are servers, and the worker could be anywhere."""
    chance = random.Random(20)
    for _ in range(12):
        script = provider.script().say(*WORDS[:3]).hold().say(*WORDS[3:])
        sent = await anywhere.send()
        reader = anywhere.follow(sent.task_id)
        await script.held()
        script.release()
        await turns(chance.randrange(100))
        stopped = await anywhere.services.stopping.stop(OWNER, sent.task_id)
        await reader.ended()
        await _one_winner(anywhere, sent.task_id, reader.text, stopped.reason)


async def _one_winner(assistant: Assistant, task_id: str, shown: str, told: TaskReason | None) -> TaskReason:
    task = await assistant.task(task_id)
    stored = await assistant.stored(task_id)
    assert told is task.reason
    assert task.reason is not None
    assert shown == stored == await assistant.so_far(task_id)
    assert WHOLE.startswith(stored)
    assert task.offset == len(stored)
    if task.reason is TaskReason.COMPLETE:
        assert stored == WHOLE
    return task.reason
