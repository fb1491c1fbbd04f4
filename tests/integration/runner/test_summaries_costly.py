"""What would take more asides than one answer may have ends it in words, and goes on where it stopped."""

import pytest

from assistant.domain.task import Task, TaskReason
from assistant.runner import driving
from assistant.runner.asides import MOST_ASIDES, Allowance
from assistant.runner.fitting import Telling
from assistant.settings import Settings
from tests.support.opened import OWNER, opened
from tests.support.talking import Talking, summary_of


@pytest.fixture
def without_tools(settings: Settings) -> Settings:
    return settings.model_copy(update={"model_tools": False})


def code_of(task: Task) -> str:
    assert task.error is not None
    return task.error.code


async def test_a_message_that_takes_more_than_an_answer_may_is_not_begun(without_tools: Settings) -> None:
    wide, narrow = Talking(window=1_000_000), Talking(window=2_048)
    async with opened(without_tools, providers=wide.provider) as chat:
        large = await chat.answered("z" * 3 * 1_000 * MOST_ASIDES)
    async with opened(without_tools, providers=narrow.provider) as chat:
        sent = await chat.answered("And?", session_id=large.session_id)
        assert code_of(await chat.task(sent.task_id)) == "summary_unfinished"
    assert narrow.provider.requests == []


async def test_a_try_again_goes_on_from_what_was_stored(
    without_tools: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two messages that take three asides each."""
    monkeypatch.setattr(driving, "Telling", lambda context: Telling(context, Allowance(left=4)))
    wide, narrow = Talking(window=1_000_000), Talking()
    async with opened(without_tools, providers=wide.provider) as chat:
        first = await chat.answered("z" * 24_000)
        await chat.answered("y" * 24_000, session_id=first.session_id)
    async with opened(without_tools, providers=narrow.provider) as chat:
        sent = await chat.answered("And?", session_id=first.session_id)
        assert code_of(await chat.task(sent.task_id)) == "summary_unfinished"
        assert len(narrow.summaries) == 3
        stored = await summary_of(chat, first.session_id)
        assert stored is not None
        assert stored.through_id == first.answer_id

        again = await chat.services.retrying.retry(OWNER, sent.task_id)
        assert (await chat.ended(again.id)).reason is TaskReason.COMPLETE
        assert sum(each.turns[0].text.count("z" * 100) for each in narrow.summaries[3:]) == 0
