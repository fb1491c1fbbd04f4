"""The queue only delivers: whatever it loses, repeats or brings late, the store has the last word."""

import asyncio
from typing import Any, cast

from assistant.domain.models import ModelRequest
from assistant.domain.task import TaskReason, TaskState
from assistant.runner.claiming import Claiming
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, Events, LocalProvider, said
from tests.support.opened import OWNER, Assistant, opened
from tests.support.opened_fixtures import QUIET_SECONDS


async def test_a_task_that_the_queue_never_heard_of_is_found(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    sent = await assistant.send(delivered=False)

    assert (await assistant.ended(sent.task_id)).reason is TaskReason.COMPLETE
    assert len(provider.calls) == 1


async def test_deliveries_lost_from_the_queue_are_made_good(
    settings: Settings, provider: ScriptedProvider
) -> None:
    """DESIGN 9: the queue may be emptied at any time."""
    one_slot = settings.model_copy(update={"runner_slots": 1, "beat_seconds": QUIET_SECONDS})
    script = provider.script().say("Busy").hold()
    async with opened(one_slot) as quiet:
        first = await quiet.send()
        await quiet.follow(first.task_id).shows("Busy")
        async with asyncio.timeout(5):
            waiting = [await quiet.send(str(number)) for number in range(3)]
        await cast(Any, quiet.services.queue)._docket.clear()

        script.release()
        await quiet.services.reconciling.run_pass()
        for sent in (first, *waiting):
            assert (await quiet.ended(sent.task_id)).reason is TaskReason.COMPLETE
    assert len(provider.calls) == 4


async def test_a_task_delivered_ten_times_at_once_is_run_once(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    """Case B067."""
    script = provider.script().say("Once").hold()
    sent = await quiet.send(delivered=False)

    await asyncio.gather(*(quiet.services.working.deliver(sent.task_id) for _ in range(10)))
    await script.held()
    await quiet.services.working.deliver(sent.task_id)
    assert quiet.services.working.running == 1
    script.release()
    task = await quiet.ended(sent.task_id)

    await quiet.services.working.deliver(sent.task_id)
    assert await quiet.task(sent.task_id) == task
    assert task.attempt == 1
    assert len(provider.calls) == 1


async def test_a_delivery_of_what_does_not_exist_is_dropped(quiet: Assistant) -> None:
    await quiet.services.working.deliver("no such task")
    assert quiet.services.working.running == 0
    assert await quiet.answered()


async def test_a_task_that_waits_for_a_slot_begins_when_one_is_free(
    settings: Settings, provider: ScriptedProvider
) -> None:
    scripts = [provider.script().say(word).hold() for word in ("first", "second", "third")]
    async with opened(settings.model_copy(update={"runner_slots": 2})) as assistant:
        sent = [await assistant.send(str(number)) for number in range(3)]
        for script in scripts[:2]:
            await script.held()
        assert assistant.services.working.running == 2
        waiting = [task for each in sent if not (task := await assistant.task(each.task_id)).worker]
        assert [task.state for task in waiting] == [TaskState.PENDING]

        scripts[0].release()
        await scripts[2].held()
        for script in scripts[1:]:
            script.release()
        for each in sent:
            await assistant.ended(each.task_id)


async def test_what_the_store_says_is_held_here_and_nobody_drives_is_let_go_at_the_second_beat(
    quiet: Assistant,
) -> None:
    """A claim whose reply was lost; and then it runs."""
    sent = await quiet.send(delivered=False)
    working = quiet.services.working
    await _claim_as(quiet, working.worker_id, sent.task_id)

    await working.beat()
    assert (await quiet.task(sent.task_id)).worker == working.worker_id
    await working.beat()
    assert (await quiet.task(sent.task_id)).worker is None

    await quiet.services.reconciling.run_pass()
    assert (await quiet.ended(sent.task_id)).reason is TaskReason.COMPLETE


async def test_what_is_driven_here_is_never_let_go(quiet: Assistant, provider: ScriptedProvider) -> None:
    script = provider.script().say("Mine").hold()
    sent = await quiet.send()
    await quiet.follow(sent.task_id).shows("Mine")

    for _ in range(5):
        await quiet.services.working.beat()

    script.release()
    assert (await quiet.ended(sent.task_id)).attempt == 1
    assert len(provider.calls) == 1


async def test_a_beat_ends_the_drive_of_a_task_that_moved_on(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    """The provider is left, and the drive writes nothing more."""
    provider.script().say("Attempt one").hold()
    sent = await quiet.send()
    await quiet.follow(sent.task_id).shows("Attempt one")
    async with quiet.services.store.write() as unit:
        await unit.sessions.bump(sent.session_id)
        await unit.tasks.release(sent.task_id, 1)
    await _claim_as(quiet, "elsewhere", sent.task_id)
    taken = await quiet.task(sent.task_id)

    await quiet.services.working.beat()

    await provider.disconnected(1, within=2)
    await eventually(lambda: quiet.services.working.running == 0)
    assert await quiet.task(sent.task_id) == taken
    assert (taken.worker, taken.attempt) == ("elsewhere", 2)


async def test_readers_that_leave_never_end_the_run(assistant: Assistant, provider: ScriptedProvider) -> None:
    """Cases B006, B061: a task lives in no connection."""
    script = provider.script().say("Begun").hold().say(", and ended.")
    sent = await assistant.send()
    readers = [assistant.follow(sent.task_id) for _ in range(5)]
    for reader in readers:
        await reader.shows("Begun")

    for reader in readers:
        await reader.leave()
    script.release()

    assert (await assistant.ended(sent.task_id)).reason is TaskReason.COMPLETE
    assert await assistant.stored(sent.task_id) == "Begun, and ended."
    assert len(provider.calls) == 1
    assert provider.calls[0].ended
    assert await assistant.services.following.task(OWNER, sent.task_id)


async def _claim_as(assistant: Assistant, worker_id: str, task_id: str) -> None:
    async def play(_: ModelRequest) -> Events:
        yield said("")
        yield DONE

    services = assistant.services
    claiming = Claiming(
        services.store, services.log, LocalProvider(play), worker_id=worker_id, owner_tasks=1000
    )
    async with services.store.write() as unit:
        await unit.workers.beat(worker_id)
    assert await claiming.claim(task_id) is not None
