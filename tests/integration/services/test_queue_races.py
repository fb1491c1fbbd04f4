"""The turn of a queued message raced against whatever else may happen then: sent once, or never."""

import asyncio
import random
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from assistant.domain.errors import RequestAccepted, SessionBusy, StoreUnavailable
from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.records import KeyState
from assistant.domain.task import TaskReason
from assistant.services.turns import Sent
from assistant.settings import Settings
from tests.integration.services.queues import accepted, queue_of, waiting
from tests.support.databases import PostgresServer
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, LocalProvider, said, turns
from tests.support.opened import OWNER, Assistant, as_killed, opened
from tests.support.valkey import ValkeyServer

ROUNDS = 60
FIRST = "first"


class Gated(LocalProvider):
    """Answers at once, but for the first message of a session: that one when its gate is opened."""

    def __init__(self) -> None:
        super().__init__(self._answer)
        self.gate = asyncio.Event()

    async def _answer(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        yield said("Yes.")
        if request.turns[-1].text == FIRST:
            await self.gate.wait()
        yield DONE


async def test_of_a_turn_and_a_withdrawal_one_wins_and_the_other_is_told(settings: Settings) -> None:
    """Case B108: the end of the answer before it races with the user who removes it."""
    chance = random.Random(108)
    provider = Gated()
    wins = {True: 0, False: 0}
    async with opened(settings, providers=provider) as assistant:
        for number in range(ROUNDS):
            provider.gate.clear()
            sent = await assistant.send(FIRST)
            await assistant.queue("second", sent.session_id, key=f"k{number}")
            provider.gate.set()
            await turns(chance.randrange(1500))
            its_turn_came = await _withdrawn_too_late(assistant, f"k{number}")
            wins[its_turn_came] += 1
            await assistant.ended(sent.task_id)
            assert await assistant.services.queueing.advance(sent.session_id) is None
            questions = [text for text in await assistant.shown(sent.session_id) if text in (FIRST, "second")]
            assert questions == ([FIRST, "second"] if its_turn_came else [FIRST])
            assert await queue_of(assistant, sent.session_id) == ()
    assert min(wins.values()) > 3, "the race has two possible ends"


async def test_of_a_turn_and_a_send_of_the_user_one_goes_first_and_both_go_once(settings: Settings) -> None:
    """Case B108: the page took the session for idle just before the queue went on."""
    chance = random.Random(110)
    provider = Gated()
    firsts = {"queued": 0, "typed": 0}
    async with opened(settings, providers=provider) as assistant:
        for number in range(ROUNDS):
            provider.gate.clear()
            sent = await assistant.send(FIRST)
            await assistant.queue("queued", sent.session_id, key=f"k{number}")
            provider.gate.set()
            await turns(chance.randrange(1500))
            typed = await eventually(lambda sent=sent, number=number: _typed(assistant, sent, number))
            assert typed
            await accepted(assistant, f"k{number}")
            asked = [text for text in await assistant.shown(sent.session_id) if text in ("queued", "typed")]
            assert sorted(asked) == ["queued", "typed"]
            firsts[asked[0]] += 1
    assert firsts["queued"]


async def test_however_many_go_on_at_once_one_message_is_sent(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B108."""
    queueing = anywhere.services.queueing
    sent = await _left_waiting(anywhere, provider, "two", "three")
    script = provider.script().hold()

    outcomes = await asyncio.gather(*(queueing.advance(sent.session_id) for _ in range(20)))

    assert len([each for each in outcomes if each]) <= 1, "a pass of the reconciler may have been first"
    await accepted(anywhere, "two")
    assert await waiting(anywhere, sent.session_id) == [("three", False)]
    script.release()


@pytest.mark.parametrize("killed", [False, True])
async def test_a_death_between_an_end_and_the_next_send_is_made_good(
    settings: Settings, provider: ScriptedProvider, tmp_path: Path, killed: bool
) -> None:
    """Case B108: the answer ended, its process did nothing more. It is not taken for a pause."""
    async with opened(settings.model_copy(update={"beat_seconds": 3600.0})) as assistant:
        sent = await _left_waiting(assistant, provider, "two")
        assert await waiting(assistant, sent.session_id) == [("two", False)]
        if not killed:
            await assistant.services.reconciling.run_pass()
            await assistant.ended((await accepted(assistant, "two")).task_id)
            assert await assistant.services.queueing.advance_ready() == 0
        left = as_killed(settings, tmp_path / "killed")
    async with opened(left) as assistant:
        await assistant.ended((await accepted(assistant, "two")).task_id)
        assert (await assistant.shown(sent.session_id))[0::2] == ["one", "two"]
    assert [call.question for call in provider.calls] == ["one", "two"]


async def test_a_death_after_a_failure_is_no_reason_to_go_on(
    settings: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    """Case B110: the killed answer ends as interrupted, and the queue waits for the user."""
    script = provider.script().say("Half").hold()
    async with opened(settings) as assistant:
        sent = await assistant.send("one")
        await assistant.follow(sent.task_id).shows("Half")

        async def half_is_stored() -> bool:
            return await assistant.stored(sent.task_id) == "Half"

        await eventually(half_is_stored)
        await script.held()
        await assistant.queue("two", sent.session_id)
        left = as_killed(settings, tmp_path / "killed")
        script.release()
    async with opened(left) as assistant:
        assert (await assistant.ended(sent.task_id)).reason is TaskReason.INTERRUPTED
        for _ in range(2):
            await assistant.services.reconciling.run_pass()
        assert await waiting(assistant, sent.session_id) == [("two", True)]


@pytest.fixture
def shared(settings: Settings, postgres: PostgresServer, valkey: ValkeyServer) -> Settings:
    return settings.model_copy(
        update={"database_url": postgres.url(postgres.emptied()), "redis_url": valkey.url}
    )


async def test_two_processes_send_a_long_queue_once_and_in_order(shared: Settings) -> None:
    """Case B108: each runs tasks and passes, and goes on with the queue whenever it can."""
    providers = Gated()
    texts = [f"queued {number}" for number in range(12)]
    async with (
        opened(shared, runner=True, providers=providers) as one,
        opened(shared, runner=True, providers=providers) as other,
    ):
        sent = await one.send(FIRST)
        for text in texts:
            await other.queue(text, sent.session_id)
        providers.gate.set()
        pushing = asyncio.create_task(_push_on(one, other, sent.session_id))
        await one.ended((await accepted(other, texts[-1])).task_id)
        await pushing
        assert (await other.shown(sent.session_id))[0::2] == [FIRST, *texts]
    assert [request.turns[-1].text for request in providers.requests] == [FIRST, *texts]


async def _left_waiting(assistant: Assistant, provider: ScriptedProvider, *texts: str) -> Sent:
    """A session whose answer ended well, and in which nobody went on with the queue."""
    queueing = assistant.services.queueing
    script = provider.script().hold()
    sent = await assistant.send("one")
    await script.held()
    for text in texts:
        await assistant.queue(text, sent.session_id)
    tried = asyncio.Event()

    async def advance(session_id: str) -> None:
        tried.set()
        raise StoreUnavailable()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(queueing, "advance", advance)
        patched.setattr(assistant.services.reconciling, "_chores", ())
        script.release()
        await assistant.ended(sent.task_id)
        async with asyncio.timeout(10):
            await tried.wait()
    return sent


async def _withdrawn_too_late(assistant: Assistant, key: str) -> bool:
    try:
        record = await assistant.services.wishes.withdraw(OWNER, key)
    except RequestAccepted as refused:
        told = refused.details["result"]
    else:
        assert record.state is KeyState.WITHDRAWN
        return False
    turn = await accepted(assistant, key)
    assert told["task_id"] == turn.task_id
    await assistant.ended(turn.task_id)
    return True


async def _typed(assistant: Assistant, sent: Sent, number: int) -> bool:
    """The user's own send, under one key, as often as the session is busy."""
    try:
        await assistant.send("typed", session_id=sent.session_id, key=f"typed {number}")
    except SessionBusy:
        return False
    return True


async def _push_on(one: Assistant, other: Assistant, session_id: str) -> None:
    while await queue_of(one, session_id):
        await asyncio.gather(
            one.services.queueing.advance(session_id),
            other.services.queueing.advance_ready(),
            other.services.queueing.advance(session_id),
        )
