"""A process that goes down lets go of its tasks with all their text, and another goes on from there."""

import asyncio
from collections.abc import AsyncGenerator

from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.task import TaskReason, TaskState
from assistant.settings import Settings
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, LocalProvider, said, turns
from tests.support.opened import Assistant, opened
from tests.support.opened_fixtures import QUIET_SECONDS


async def test_handed_over_it_is_released_with_every_character_and_continued_by_the_next_process(
    settings: Settings, provider: ScriptedProvider
) -> None:
    continuing = settings.model_copy(update={"model_continues_prefix": True})
    provider.script().say("The first half ").hold()
    async with opened(continuing) as first:
        sent = await first.send()
        reader = first.follow(sent.task_id)
        await reader.shows("The first half ")
        await first.services.hand_over(60)

        task = await first.task(sent.task_id)
        assert (task.state, task.worker, task.attempt) == (TaskState.STREAMING, None, 1)
        assert await first.stored(sent.task_id) == "The first half "
        await provider.disconnected(1)

    provider.say("and the second.")
    async with opened(continuing) as second:
        resumed = second.follow(sent.task_id, reader.cursor, reader.shown)
        await resumed.ended()

        assert resumed.text == await second.stored(sent.task_id) == "The first half and the second."
        assert not resumed.taken_back
        assert (await second.task(sent.task_id)).reason is TaskReason.COMPLETE


async def test_a_worker_that_drains_waits_for_what_it_runs(
    settings: Settings, provider: ScriptedProvider
) -> None:
    script = provider.script().say("Nearly").hold().say(" done")
    async with opened(settings, runner=True) as assistant:
        sent = await assistant.send()
        await assistant.follow(sent.task_id).shows("Nearly")

        going = asyncio.create_task(assistant.services.hand_over(30))
        late = await assistant.send("Too late for this process")
        await assistant.services.working.deliver(late.task_id)
        assert not going.done()
        script.release()
        await going

        assert (await assistant.task(sent.task_id)).reason is TaskReason.COMPLETE
        assert (await assistant.task(late.task_id)).state is TaskState.PENDING
        assert len(provider.calls) == 1


async def test_a_drain_that_takes_too_long_hands_over(settings: Settings, provider: ScriptedProvider) -> None:
    provider.script().say("Never ends").hold()
    async with opened(settings, runner=True) as assistant:
        sent = await assistant.send()
        await assistant.follow(sent.task_id).shows("Never ends")

        await assistant.services.hand_over(0.05)

        assert (await assistant.task(sent.task_id)).worker is None
        assert await assistant.stored(sent.task_id) == "Never ends"


async def test_a_process_that_left_has_no_row_and_makes_none_again(
    settings: Settings,
) -> None:
    async with opened(settings.model_copy(update={"beat_seconds": QUIET_SECONDS})) as quiet:
        assert await _workers(quiet) == [quiet.services.working.worker_id]
        await quiet.services.hand_over(0)
        await quiet.services.working.beat()
        assert await _workers(quiet) == []


async def test_an_answer_whose_end_is_being_written_is_stored_as_ended(settings: Settings) -> None:
    """The handover comes when the provider has said all and the store answers late."""
    said_all, gate = asyncio.Event(), asyncio.Event()

    async def play(_: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        try:
            yield said("Whole")
            await gate.wait()
            yield DONE
        finally:
            said_all.set()

    quiet_settings = settings.model_copy(update={"beat_seconds": QUIET_SECONDS})
    async with opened(quiet_settings, providers=LocalProvider(play)) as quiet:
        sent = await quiet.send()
        await quiet.follow(sent.task_id).shows("Whole")
        async with quiet.services.store.write():  # SQLite has one writer: the end waits behind this
            gate.set()
            await said_all.wait()
            await turns(500)
            going = asyncio.create_task(quiet.services.working.hand_over(0))
            await turns(500)
        await going

        task = await quiet.task(sent.task_id)
        assert (task.reason, task.worker) == (TaskReason.COMPLETE, None)
        assert await quiet.stored(sent.task_id) == "Whole"


async def test_a_claim_that_lands_while_the_process_goes_down_is_handed_back_and_asks_no_provider(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    sent = await quiet.send(delivered=False)
    async with quiet.services.store.write():  # the claim waits behind this
        delivering = asyncio.create_task(quiet.services.working.deliver(sent.task_id))
        await turns(500)
        going = asyncio.create_task(quiet.services.working.hand_over(0))
        await turns(500)
        assert not going.done()
    await asyncio.gather(delivering, going)

    task = await quiet.task(sent.task_id)
    assert (task.attempt, task.worker, task.closed) == (1, None, False)
    assert provider.calls == []


async def test_closing_without_a_handover_hands_over_too(
    settings: Settings, provider: ScriptedProvider
) -> None:
    provider.script().say("Half").hold()
    async with opened(settings) as first:
        sent = await first.send()
        await first.follow(sent.task_id).shows("Half")
    async with opened(settings.model_copy(update={"beat_seconds": QUIET_SECONDS})) as second:
        assert (await second.ended(sent.task_id)).reason is TaskReason.INTERRUPTED
        assert await second.stored(sent.task_id) == "Half"


async def _workers(assistant: Assistant) -> list[str]:
    async with assistant.services.store.read() as unit:
        return [worker.id for worker in await unit.workers.all()]
