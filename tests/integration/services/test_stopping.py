"""Stop is one path for every state: it answers at once, keeps what is there, and nothing grows after it."""

import asyncio
from datetime import UTC, datetime

import pytest

from assistant.domain.task import TaskReason, TaskState
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, opened
from tests.support.other_worker import OtherWorker


async def test_stop_before_the_first_token_leaves_the_question_and_an_empty_stopped_turn(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B091, B092: and it can be retried."""
    provider.script().hang_before_first()
    sent = await anywhere.send("Hello?")
    await provider.called(1)

    stopped = await anywhere.services.stopping.stop(OWNER, sent.task_id)

    assert (stopped.state, stopped.reason, stopped.error) == (TaskState.DONE, TaskReason.STOPPED, None)
    assert [message.text for message in await anywhere.messages(sent.session_id)] == ["Hello?", ""]
    await provider.disconnected(1, within=2)
    provider.say("Hello!")
    retried = await anywhere.services.retrying.retry(OWNER, sent.task_id)
    await anywhere.ended(retried.id)
    assert await anywhere.stored(retried.id) == "Hello!"


async def test_with_the_usual_beat_the_provider_is_left_within_two_seconds(
    settings: Settings, provider: ScriptedProvider
) -> None:
    """Cases B086, B095."""
    provider.script().say("Half a wo").hold()
    async with opened(settings.model_copy(update={"beat_seconds": 1.0})) as assistant:
        sent = await assistant.send()
        await assistant.follow(sent.task_id).shows("Half a wo")
        await assistant.services.stopping.stop(OWNER, sent.task_id)
        await provider.disconnected(1, within=2)


async def test_the_worker_of_the_same_process_leaves_the_provider_without_a_beat(
    still: Settings, provider: ScriptedProvider
) -> None:
    """Case B095."""
    provider.script().say("Half a wo").hold()
    async with opened(still) as assistant:
        sent = await assistant.send()
        await assistant.follow(sent.task_id).shows("Half a wo")
        await assistant.services.stopping.stop(OWNER, sent.task_id)
        await provider.disconnected(1)
        await eventually(lambda: assistant.services.working.running == 0)
        assert await assistant.stored(sent.task_id) == "Half a wo"


async def test_what_the_provider_says_after_a_stop_is_never_stored_or_shown(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B089: a reader, the store and a restore agree, then and later."""
    script = provider.script().say("Stopped at 22").hold().say(*(f" {item}" for item in range(75)))
    sent = await anywhere.send()
    reader = anywhere.follow(sent.task_id)
    await reader.shows("Stopped at 22")

    stopping = asyncio.create_task(anywhere.services.stopping.stop(OWNER, sent.task_id))
    stopped = await stopping
    script.release()
    await reader.ended()
    await eventually(lambda: anywhere.services.working.running == 0)

    shown = reader.text
    assert shown == "Stopped at 22"
    assert await anywhere.stored(sent.task_id) == await anywhere.so_far(sent.task_id) == shown
    assert (await anywhere.messages(sent.session_id))[-1].text == shown
    assert stopped.offset == len(shown)
    assert await anywhere.task(sent.task_id) == stopped


async def test_a_stop_wins_before_any_runner_has_the_task(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    """Case B093: delivered late, it is not begun."""
    sent = await quiet.send(delivered=False)

    stopped = await quiet.services.stopping.stop(OWNER, sent.task_id)
    await quiet.services.working.deliver(sent.task_id)
    await quiet.services.reconciling.run_pass()

    assert (stopped.state, stopped.reason) == (TaskState.DONE, TaskReason.STOPPED)
    assert await quiet.task(sent.task_id) == stopped
    assert quiet.services.working.running == 0
    assert provider.calls == []


async def test_a_dead_workers_task_is_stopped_at_once_with_all_that_it_said(quiet: Assistant) -> None:
    """Case B052: nobody beats, and no pass is needed."""
    sent = await quiet.send(delivered=False)
    dead = OtherWorker(quiet)
    await dead.take(sent.task_id)
    await dead.say("Last words, half")
    await dead.die()
    reader = quiet.follow(sent.task_id)
    await reader.shows("Last words, half")

    stopped = await quiet.services.stopping.stop(OWNER, sent.task_id)
    await reader.ended()

    assert stopped.reason is TaskReason.STOPPED
    assert reader.text == await quiet.stored(sent.task_id) == "Last words, half"
    assert await quiet.send("Next", session_id=sent.session_id), "the session is free again"


async def test_ten_stops_at_once_without_a_key_are_told_one_end(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    provider.script().say("Half").hold()
    sent = await anywhere.send()
    await anywhere.follow(sent.task_id).shows("Half")

    stopped = await asyncio.gather(*(anywhere.services.stopping.stop(OWNER, sent.task_id) for _ in range(10)))

    assert len(set(stopped)) == 1
    assert stopped[0].reason is TaskReason.STOPPED
    assert await anywhere.stored(sent.task_id) == "Half"


async def test_a_stop_after_the_end_changes_nothing(assistant: Assistant) -> None:
    sent = await assistant.answered()
    before = await assistant.services.restoring.snapshot(OWNER, sent.session_id)

    stopped = await assistant.services.stopping.stop(OWNER, sent.task_id)

    assert stopped.reason is TaskReason.COMPLETE
    assert await assistant.services.restoring.snapshot(OWNER, sent.session_id) == before


async def test_a_stop_that_died_half_way_is_finished_by_the_reconciler(quiet: Assistant) -> None:
    """DESIGN 9: between its two transactions the process was killed."""
    sent = await quiet.send(delivered=False)
    worker = OtherWorker(quiet)
    await worker.take(sent.task_id)
    await worker.say("Said before the stop")
    reader = quiet.follow(sent.task_id)
    await reader.shows("Said before the stop")
    async with quiet.services.store.write() as unit:
        version = await unit.sessions.bump(sent.session_id)
        await unit.tasks.request_stop(sent.task_id, at=datetime.now(UTC), version=version)

    await quiet.services.reconciling.run_pass()
    assert not (await quiet.task(sent.task_id)).closed, "first it is left to the one who asked"
    await quiet.services.reconciling.run_pass()

    await reader.ended()
    task = await quiet.task(sent.task_id)
    assert (task.state, task.reason) == (TaskState.DONE, TaskReason.STOPPED)
    assert reader.text == await quiet.stored(sent.task_id) == "Said before the stop"


async def test_a_second_stop_finishes_one_that_died_half_way(quiet: Assistant) -> None:
    sent = await quiet.send(delivered=False)
    async with quiet.services.store.write() as unit:
        version = await unit.sessions.bump(sent.session_id)
        asked = await unit.tasks.request_stop(sent.task_id, at=datetime.now(UTC), version=version)
    assert asked is not None

    stopped = await quiet.services.stopping.stop(OWNER, sent.task_id)

    assert stopped.reason is TaskReason.STOPPED
    assert stopped.stop_requested_at == asked.stop_requested_at
    assert stopped.attempt == asked.attempt


async def test_a_stop_between_two_tries_at_the_provider_ends_them(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B057: the provider is away and is being tried again."""
    for _ in range(2):
        provider.fail(503)
    provider.script().hang_before_first()
    sent = await assistant.send()
    await provider.called(1)

    stopped = await assistant.services.stopping.stop(OWNER, sent.task_id)
    await eventually(lambda: assistant.services.working.running == 0, within=2)

    calls = len(provider.calls)
    assert stopped.reason is TaskReason.STOPPED
    assert (await assistant.messages(sent.session_id))[-1].text == ""
    assert (await assistant.services.restoring.snapshot(OWNER, sent.session_id)).tasks == ()
    assert len(provider.calls) == calls < 3


@pytest.mark.parametrize("worker_says", ["more", "its end"])
async def test_from_the_first_step_of_a_stop_the_worker_may_write_nothing(
    quiet: Assistant, worker_says: str
) -> None:
    sent = await quiet.send(delivered=False)
    worker = OtherWorker(quiet)
    await worker.take(sent.task_id)
    await worker.say("Before")
    await quiet.services.stopping.stop(OWNER, sent.task_id)

    if worker_says == "more":
        assert not await worker.keep()
    else:
        assert not await worker.finish()
    await worker.die()

    assert await quiet.stored(sent.task_id) == "Before"
    assert (await quiet.task(sent.task_id)).reason is TaskReason.STOPPED
