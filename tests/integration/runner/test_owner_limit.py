"""An owner's running tasks are counted in the store: the next one waits, and each exit frees a place."""

from pathlib import Path

import pytest

from assistant.domain.task import TaskReason, TaskState
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, as_killed, opened


@pytest.fixture
def two_at_a_time(settings: Settings) -> Settings:
    return settings.model_copy(update={"owner_tasks": 2})


@pytest.mark.parametrize("exit_by", ["finish", "error", "stop", "reader gone and finish"])
async def test_the_third_waits_and_starts_when_one_ends(
    two_at_a_time: Settings, provider: ScriptedProvider, exit_by: str
) -> None:
    """Case B148: the place belongs to the run, not to a reader."""
    first = provider.script().say("first").hold()
    if exit_by == "error":
        first.break_off()
    provider.script().say("second").hold()
    provider.say("third")
    async with opened(two_at_a_time) as assistant:
        one, two = await assistant.send("1"), await assistant.send("2")
        readers = [assistant.follow(one.task_id), assistant.follow(two.task_id)]
        await eventually(lambda: len(provider.calls) == 2)
        for reader in readers:
            await eventually(lambda reader=reader: reader.text in ("first", "second"))
        ends_first = one if readers[0].text == "first" else two
        three = await assistant.send("3")
        for _ in range(3):
            await assistant.services.reconciling.run_pass()
            await assistant.services.working.deliver(three.task_id)
        assert (await assistant.task(three.task_id)).state is TaskState.PENDING
        other = await assistant.send("of another owner", owner="bob")
        provider.say("for bob")
        await assistant.ended(other.task_id)

        if exit_by == "reader gone and finish":
            await assistant.leave()
            assert (await assistant.task(three.task_id)).state is TaskState.PENDING
        if exit_by == "stop":
            await assistant.services.stopping.stop(OWNER, ends_first.task_id)
        else:
            first.release()

        assert (await assistant.ended(three.task_id)).reason is TaskReason.COMPLETE


async def test_after_a_crash_no_place_is_taken_any_more(
    two_at_a_time: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    """Case B148."""
    scripts = [provider.script().say(word).hold() for word in ("one", "two")]
    async with opened(two_at_a_time) as assistant:
        sent = [await assistant.send(str(number)) for number in range(2)]
        for script in scripts:
            await script.held()
        for each in sent:
            await eventually(lambda each=each: _text(assistant, each.task_id))
        killed = as_killed(two_at_a_time, tmp_path / "killed")
    async with opened(killed) as again:
        for each in sent:
            assert (await again.ended(each.task_id)).reason is TaskReason.INTERRUPTED
        for number in range(3):
            assert await again.answered(f"again {number}")


async def _text(assistant: Assistant, task_id: str) -> str:
    return await assistant.stored(task_id)
