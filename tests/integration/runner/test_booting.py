"""The one embedded process was killed: at its next start everything that ran is settled at once."""

from pathlib import Path

import pytest
from sqlalchemy import update

from assistant.domain.task import TaskReason, TaskState
from assistant.settings import Settings
from assistant.storage.schema import tasks
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, as_killed, opened
from tests.support.opened_fixtures import QUIET_SECONDS


@pytest.fixture
def continuing(settings: Settings) -> Settings:
    """A provider that goes on where a text ends; no beat and no pass but those of the start."""
    return settings.model_copy(update={"model_continues_prefix": True, "beat_seconds": QUIET_SECONDS})


async def test_an_answer_is_gone_on_with_after_each_of_two_kills(
    continuing: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    """Case B052: the second kill comes during the recovery from the first."""
    for words in ("One, ", "two, "):
        provider.script().say(words).hold()
    provider.say("three.")
    async with opened(continuing) as first:
        sent = await first.send("Count.")
        await _kept(first, sent.task_id, "One, ")
        once = as_killed(continuing, tmp_path / "once")
    async with opened(once) as second:
        await _kept(second, sent.task_id, "One, two, ")
        twice = as_killed(once, tmp_path / "twice")
    async with opened(twice) as third:
        task = await third.ended(sent.task_id)

        assert task.reason is TaskReason.COMPLETE
        assert await third.stored(sent.task_id) == "One, two, three."
        assert len(await third.messages(sent.session_id)) == 2
    kept = [call.body["messages"][-1]["content"] for call in provider.calls]
    assert kept == ["Count.", "One, ", "One, two, "]


async def test_an_answer_that_cannot_go_on_is_interrupted_once_however_often_it_is_killed(
    settings: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    """Cases B051, B052: the second kill comes between the claim of the recovery and its end."""
    quiet = settings.model_copy(update={"beat_seconds": QUIET_SECONDS})
    provider.script().say("Chunks 1 to 10").hold()
    async with opened(quiet) as first:
        sent = await first.send()
        await _kept(first, sent.task_id, "Chunks 1 to 10")
        await first.change(update(tasks).values(attempt=2, worker="killed in recovery"))
        killed = as_killed(quiet, tmp_path / "killed")
    for number in range(2):
        async with opened(killed) as again:
            task = await again.ended(sent.task_id)
            assert (task.state, task.reason) == (TaskState.FAILED, TaskReason.INTERRUPTED)
            assert await again.stored(sent.task_id) == "Chunks 1 to 10"
            assert len(await again.messages(sent.session_id)) == 2
            if number:
                assert await again.answered("Usable?", session_id=sent.session_id)
    assert len(provider.calls) == 2


async def test_what_waited_in_the_queue_is_answered_after_the_kill(
    settings: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    """DESIGN 3: the queue was in memory, the task is in the store."""
    quiet = settings.model_copy(update={"beat_seconds": QUIET_SECONDS})
    async with opened(quiet) as first:
        waiting = [await first.send(str(number), delivered=False) for number in range(3)]
        killed = as_killed(quiet, tmp_path / "killed")
    async with opened(killed) as again:
        for sent in waiting:
            assert (await again.ended(sent.task_id)).reason is TaskReason.COMPLETE
    assert len(provider.calls) == 3


async def test_killed_before_the_first_token_it_is_asked_again(
    settings: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    """Case B008: the question is there, and its answer comes."""
    quiet = settings.model_copy(update={"beat_seconds": QUIET_SECONDS})
    provider.script().hang_before_first()
    async with opened(quiet) as first:
        sent = await first.send("Still there?")
        await provider.called(1)
        await first.streaming(sent.task_id)
        killed = as_killed(quiet, tmp_path / "killed")
    provider.say("Yes.")
    async with opened(killed) as again:
        await again.ended(sent.task_id)
        texts = [message.text for message in await again.messages(sent.session_id)]
    assert texts == ["Still there?", "Yes."]


async def test_a_stop_that_was_killed_half_way_is_finished_after_the_start(
    settings: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    provider.script().say("Until here").hold()
    async with opened(settings) as first:
        sent = await first.send()
        await _kept(first, sent.task_id, "Until here")
        async with first.services.store.write() as unit:
            version = await unit.sessions.bump(sent.session_id)
            await unit.tasks.request_stop(sent.task_id, at=first.services.clock.now(), version=version)
        killed = as_killed(settings, tmp_path / "killed")
    async with opened(killed) as again:
        task = await again.ended(sent.task_id)
        assert task.reason is TaskReason.STOPPED
        assert await again.stored(sent.task_id) == "Until here"
    assert len(provider.calls) == 1


async def test_a_stop_after_the_restart_ends_what_was_going_on(
    continuing: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    """Case B052: Stop does something."""
    provider.script().say("One, ").hold()
    provider.script().say("two, ").hold()
    async with opened(continuing) as first:
        sent = await first.send()
        await _kept(first, sent.task_id, "One, ")
        killed = as_killed(continuing, tmp_path / "killed")
    async with opened(killed) as again:
        await again.follow(sent.task_id).shows("One, two, ")
        stopped = await again.services.stopping.stop(OWNER, sent.task_id)
        assert stopped.reason is TaskReason.STOPPED
        assert await again.stored(sent.task_id) == "One, two, "


async def _kept(assistant: Assistant, task_id: str, text: str) -> None:
    """Wait until so much is in the row: all that a kill leaves of it."""

    async def is_kept() -> bool:
        return await assistant.stored(task_id) == text

    await eventually(is_kept)
