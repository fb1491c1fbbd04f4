"""What becomes of a lost attempt: run again, gone on with, or interrupted; never a second answer."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from assistant.domain.errors import Fenced
from assistant.domain.task import TaskReason, TaskState
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, opened
from tests.support.opened_fixtures import QUIET_SECONDS
from tests.support.other_worker import OtherWorker


async def test_when_nothing_was_produced_it_is_run_again(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("The only answer.")
    sent = await quiet.send(delivered=False)
    lost = OtherWorker(quiet)
    await lost.take(sent.task_id)
    await lost.die()

    await _find_lost(quiet, lost)

    task = await quiet.ended(sent.task_id)
    assert (task.reason, task.attempt) == (TaskReason.COMPLETE, 2)
    assert await quiet.stored(sent.task_id) == "The only answer."
    assert len(provider.calls) == 1


async def test_a_provider_that_continues_goes_on_from_the_last_character_in_the_log(
    settings: Settings, provider: ScriptedProvider
) -> None:
    """Case B054: the row is behind, the log is not, and a reader notices nothing."""
    provider.script().hold().say("and the second.")
    async with _continuing(settings) as quiet:
        sent = await quiet.send("Two halves", delivered=False)
        lost = OtherWorker(quiet)
        await lost.take(sent.task_id)
        await lost.say("The first ")
        await lost.keep()
        await lost.say("half ")
        await lost.die()
        reader = quiet.follow(sent.task_id)
        await reader.shows("The first half ")

        await _find_lost(quiet, lost)
        call = await provider.called(1)
        provider.release()
        await reader.ended()

        assert call.body["messages"][-1]["content"] == "The first half "
        assert reader.text == await quiet.stored(sent.task_id) == "The first half and the second."
        assert not reader.taken_back
        assert (await quiet.task(sent.task_id)).reason is TaskReason.COMPLETE
        assert len(provider.calls) == 1


async def test_any_other_provider_is_not_asked_again_and_the_text_is_kept(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B051, B114: Continue and Retry are the user's to choose."""
    sent = await quiet.send(delivered=False)
    lost = OtherWorker(quiet)
    await lost.take(sent.task_id)
    await lost.say("Half of it")
    await lost.die()
    reader = quiet.follow(sent.task_id)
    await reader.shows("Half of it")

    await _find_lost(quiet, lost)
    await reader.ended()

    task = await quiet.task(sent.task_id)
    assert (task.state, task.reason) == (TaskState.FAILED, TaskReason.INTERRUPTED)
    assert task.error is not None
    assert task.error.message
    assert reader.text == await quiet.stored(sent.task_id) == "Half of it"
    assert provider.calls == []

    provider.say(" and the rest.")
    continued = await quiet.services.retrying.carry_on(OWNER, sent.task_id)
    await quiet.ended(continued.id)
    assert await quiet.stored(continued.id) == "Half of it and the rest."
    provider.say("All anew.")
    retried = await quiet.services.retrying.retry(OWNER, sent.task_id)
    await quiet.ended(retried.id)
    assert await quiet.stored(retried.id) == "All anew."


async def test_a_lost_answer_is_settled_though_its_owner_runs_as_many_as_allowed(
    settings: Settings, provider: ScriptedProvider
) -> None:
    """Case B051: to end it takes no place."""
    changed = {"beat_seconds": QUIET_SECONDS, "owner_tasks": 1}
    async with opened(settings.model_copy(update=changed)) as quiet:
        lost, living = OtherWorker(quiet), OtherWorker(quiet, worker_id="alive")
        sent = await quiet.send("Lost", delivered=False)
        await lost.take(sent.task_id)
        await lost.say("Half of it")
        await lost.die()
        running = await quiet.send("Runs", delivered=False)
        await living.take(running.task_id)

        for _ in range(settings.lost_after_beats):
            await living.beat()
            await quiet.services.reconciling.run_pass()

        assert (await quiet.task(sent.task_id)).reason is TaskReason.INTERRUPTED
        assert await quiet.stored(sent.task_id) == "Half of it"
        assert (await quiet.task(running.task_id)).worker == "alive"
        await living.die()


async def test_kept_text_of_a_continue_is_not_taken_for_produced(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    """A lost Continue that added nothing yet is run again, also by a provider that cannot go on."""
    provider.say("Kept.").finish("length")
    sent = await quiet.send()
    await quiet.ended(sent.task_id)
    quiet.services.retrying._queue = _Lost()
    continued = await quiet.services.retrying.carry_on(OWNER, sent.task_id)
    lost = OtherWorker(quiet)
    await lost.take(continued.id)
    await lost.die()

    provider.say(" Added.")
    await _find_lost(quiet, lost)

    assert (await quiet.ended(continued.id)).reason is TaskReason.COMPLETE
    assert await quiet.stored(continued.id) == "Kept. Added."


async def test_a_zombie_changes_nothing_after_its_task_was_taken_over(
    settings: Settings, provider: ScriptedProvider
) -> None:
    """Case B030: it wakes while attempt 2 writes, and again after its end."""
    script = provider.script().say("of attempt two").hold().say(", whole.")
    async with _continuing(settings) as quiet:
        sent = await quiet.send(delivered=False)
        zombie = OtherWorker(quiet)
        await zombie.take(sent.task_id)
        await zombie.say("Text ")
        await _find_lost(quiet, zombie)
        reader = quiet.follow(sent.task_id)
        await reader.shows("Text of attempt two")

        with pytest.raises(Fenced):
            await zombie.say("of the zombie")
        assert not await zombie.keep()
        assert not await zombie.finish()
        await zombie.close()
        assert reader.text == await quiet.so_far(sent.task_id) == "Text of attempt two"

        script.release()
        await reader.ended()
        assert not await zombie.keep()
        assert not await zombie.finish()
        await zombie.die()
        assert reader.text == await quiet.stored(sent.task_id) == "Text of attempt two, whole."
        assert not reader.taken_back
        assert (await quiet.task(sent.task_id)).attempt == 2


async def test_two_reconcilers_that_find_the_same_loss_rescue_it_once(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    provider.say("Once.")
    sent = await quiet.send(delivered=False)
    lost = OtherWorker(quiet)
    await lost.take(sent.task_id)
    await lost.die()
    async with quiet.services.store.write() as unit:
        await unit.workers.remove(lost.worker_id)

    for _ in range(3):
        await quiet.services.reconciling.run_pass()

    assert (await quiet.ended(sent.task_id)).attempt == 2
    await eventually(lambda: quiet.services.working.running == 0)
    assert len(provider.calls) == 1


class _Lost:
    async def enqueue(self, task_id: str, attempt: int) -> None:
        return None


@asynccontextmanager
async def _continuing(settings: Settings) -> AsyncGenerator[Assistant]:
    changed = {"beat_seconds": QUIET_SECONDS, "model_continues_prefix": True}
    async with opened(settings.model_copy(update=changed)) as assistant:
        yield assistant


async def _find_lost(assistant: Assistant, worker: OtherWorker) -> None:
    """Four passes without a beat of the worker."""
    for _ in range(assistant.services.settings.lost_after_beats):
        await assistant.services.reconciling.run_pass()
    async with assistant.services.store.read() as unit:
        assert worker.worker_id not in [each.id for each in await unit.workers.all()]
