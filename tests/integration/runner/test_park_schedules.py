"""A decision at any moment around a park: never lost, carried out once, and nobody has to look for it.

No pass and no second delivery helps: what a schedule leaves behind stays behind, and is seen.
"""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from assistant.domain.store_ports import Unit
from assistant.domain.task import TaskReason
from assistant.domain.tool_call import Decision, ToolCallReason, ToolCallState
from assistant.runner.working import Working
from assistant.settings import Settings
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted
from tests.support.local_provider import DONE, said, turns
from tests.support.opened import Assistant, opened
from tests.support.tool_steps import Step, asks, steps

SCHEDULES = 500
AT_THE_SAME_TIME = 25
BEFORE, INSIDE, AFTER = "before", "inside", "after"


class AtOnce:
    """A queue without a way: what is enqueued is delivered now."""

    def __init__(self, working: Working) -> None:
        self._working = working
        self._delivering: set[asyncio.Task[None]] = set()

    async def enqueue(self, task_id: str, attempt: int) -> None:
        delivering = asyncio.create_task(self._working.deliver(task_id))
        self._delivering.add(delivering)
        delivering.add_done_callback(self._delivering.discard)


class Moments:
    """The store of the runner's calls, which says when which write of a task begins, runs and is over."""

    def __init__(self, assistant: Assistant) -> None:
        self._store = assistant.services.store
        self.wanted: dict[str, tuple[int, str, Callable[[], None]]] = {}
        self._written: dict[str, int] = {}
        self.read = self._store.read

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[Unit]:
        """One write; whose it is says the name of the drive."""
        name = cast(asyncio.Task[Any], asyncio.current_task()).get_name()
        task_id = name.split()[1] if name.startswith("drive ") else ""
        number = self._written[task_id] = self._written.get(task_id, 0) + 1
        self._now(task_id, number, BEFORE)
        async with self._store.write() as unit:
            self._now(task_id, number, INSIDE)
            yield unit
        self._now(task_id, number, AFTER)

    def _now(self, task_id: str, number: int, when: str) -> None:
        wanted = self.wanted.get(task_id)
        if wanted is not None and (number, when) == wanted[:2]:
            wanted[2]()


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_decision_at_any_moment_around_a_park_is_carried_out_exactly_once(
    still: Settings, ledger: Ledger, seed: int
) -> None:
    chance = random.Random(seed)
    tools = LedgerTools(ledger, mail=Scripted(needs_decision=True), look=Scripted())
    one: tuple[Step, ...] = ((said("A. "), asks("mail")), (said("B."), DONE))
    two: tuple[Step, ...] = ((said("A. "), asks("look", "mail")), (said("B."), DONE))
    async with opened(still, providers=steps(*(one if seed == 1 else two)), tools=tools) as assistant:
        working = assistant.services.working
        assistant.services.deciding._queue = AtOnce(working)
        moments = Moments(assistant)
        cast(Any, working)._driving._calling._store = moments
        writes = 2 if seed == 1 else 3
        for _ in range(SCHEDULES // 2 // AT_THE_SAME_TIME):
            await asyncio.gather(
                *(
                    _schedule(assistant, moments, _dealt(chance, writes), ledger)
                    for _ in range(AT_THE_SAME_TIME)
                )
            )
    assert ledger.at_most_once()


def _dealt(chance: random.Random, writes: int) -> tuple[tuple[int, str], int, Decision]:
    """A moment from the first at which the call is stored, how many turns after it, and the decision."""
    later = [(number, when) for number in range(2, writes + 1) for when in (BEFORE, INSIDE, AFTER)]
    of_all = [(1, AFTER), *later]
    return chance.choice(of_all), chance.choice((0, 1, 2, 5, 10, 20, 50)), chance.choice(tuple(Decision))


async def _schedule(
    assistant: Assistant,
    moments: Moments,
    dealt: tuple[tuple[int, str], int, Decision],
    ledger: Ledger,
) -> None:
    (number, when), later, decision = dealt
    sent = await assistant.send(delivered=False)
    now = asyncio.Event()
    moments.wanted[sent.task_id] = (number, when, now.set)

    async def decide() -> None:
        await now.wait()
        await turns(later)
        await assistant.decide(await assistant.call(sent.task_id, "mail"), decision)

    await asyncio.gather(decide(), assistant.services.working.deliver(sent.task_id))
    task = await assistant.ended(sent.task_id, every=0.25)
    mail = [call for call in task.tool_calls if call.name == "mail"][-1]
    assert task.reason is TaskReason.COMPLETE, dealt
    assert mail.decision is decision
    if decision is Decision.APPROVE:
        assert (mail.state, ledger.effects_of(mail.id)) == (ToolCallState.COMPLETED, 1), dealt
    else:
        assert (mail.reason, ledger.effects_of(mail.id)) == (ToolCallReason.DENIED, 0), dealt
    assert await assistant.stored(sent.task_id) == "A. B."
