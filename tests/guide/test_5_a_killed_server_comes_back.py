"""Fifth story: the server is killed in mid-answer; when it is back, what it says is true."""

from pathlib import Path

from assistant.domain.task import TaskReason
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, as_killed, opened


async def test_a_killed_answer_keeps_its_text_and_waits_for_the_user(
    settings: Settings, provider: ScriptedProvider, tmp_path: Path
) -> None:
    provider.script().say("The first half").hold()
    async with opened(settings) as assistant:
        sent = await assistant.send("Say something long.")
        # Once a second what was said goes into the database, in case that nothing else is left.
        await eventually(lambda: _is_stored(assistant, sent.task_id))
        killed = as_killed(settings, tmp_path / "killed")

    async with opened(killed) as back:
        task = await back.ended(sent.task_id)

        # This provider cannot go on by itself in mid-sentence, and an answer is never begun twice
        # behind the user's back: the text is kept, and Continue and Retry are offered.
        assert task.reason is TaskReason.INTERRUPTED
        assert await back.stored(sent.task_id) == "The first half"
        assert len(provider.calls) == 1

        provider.say(" and the second half.")
        continued = await back.services.retrying.carry_on(OWNER, sent.task_id)
        await back.ended(continued.id)
        assert await back.stored(continued.id) == "The first half and the second half."


async def _is_stored(assistant: Assistant, task_id: str) -> bool:
    return await assistant.stored(task_id) == "The first half"
