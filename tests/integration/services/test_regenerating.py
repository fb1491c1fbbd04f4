"""Regenerate is a retry of any answer that has ended; it chooses its sibling and no other fork moves."""

from collections.abc import Callable

import pytest
from sqlalchemy import update

from assistant.domain.task import TaskReason, TaskState
from assistant.storage.schema import tasks
from tests.support.llm_server import Script, ScriptedProvider
from tests.support.opened import OWNER, Assistant

ENDINGS: dict[TaskReason, Callable[[Script], object]] = {
    TaskReason.COMPLETE: lambda script: script.say("old"),
    TaskReason.LENGTH: lambda script: script.say("old").finish("length"),
    TaskReason.ERROR: lambda script: script.fail(401),
}
AGED = (TaskReason.INTERRUPTED, TaskReason.TIMEOUT, TaskReason.EXPIRED)


@pytest.mark.parametrize("reason", [*ENDINGS, *AGED, TaskReason.STOPPED])
async def test_an_answer_is_regenerated_however_it_ended(
    assistant: Assistant, provider: ScriptedProvider, reason: TaskReason
) -> None:
    script = provider.script()
    if reason is TaskReason.STOPPED:
        script.say("old").hold()
    else:
        ENDINGS.get(reason, ENDINGS[TaskReason.ERROR])(script)
    sent = await assistant.send()
    if reason is TaskReason.STOPPED:
        await assistant.follow(sent.task_id).shows("old")
        await assistant.services.stopping.stop(OWNER, sent.task_id)
    await assistant.ended(sent.task_id)
    if reason in AGED:
        await assistant.change(
            update(tasks).where(tasks.c.id == sent.task_id).values(state=TaskState.FAILED, reason=reason)
        )
    kept = await assistant.stored(sent.task_id)

    provider.say("new")
    again = await assistant.services.retrying.retry(OWNER, sent.task_id)
    await assistant.ended(again.id)

    assert (await assistant.task(sent.task_id)).reason is reason
    assert await assistant.stored(sent.task_id) == kept
    answer = (await assistant.messages(sent.session_id))[-1]
    assert (answer.text, answer.siblings) == ("new", (sent.answer_id, again.answer_id))
    session = (await assistant.services.restoring.snapshot(OWNER, sent.session_id)).session
    assert session.leaf_id == again.answer_id


async def test_regenerating_moves_the_choice_at_no_other_fork(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B171: reloaded in mid-stream, and at the end."""
    for text in ("A1", "B1", "A2"):
        provider.say(text)
    first = await anywhere.answered("Q1")
    await anywhere.answered("P1", edits=first.message_id)
    await anywhere.show(first.session_id, first.message_id)
    last = await anywhere.answered("Q2", session_id=first.session_id)

    script = provider.script().say("again").hold().say(" and again")
    again = await anywhere.services.retrying.retry(OWNER, last.task_id)
    await anywhere.follow(again.id).shows("again")
    assert await anywhere.shown(first.session_id) == ["Q1", "A1", "Q2", "again"]
    script.release()
    await anywhere.ended(again.id)

    assert await anywhere.shown(first.session_id) == ["Q1", "A1", "Q2", "again and again"]
    await anywhere.show(first.session_id, last.answer_id)
    assert await anywhere.shown(first.session_id) == ["Q1", "A1", "Q2", "A2"]


async def test_an_answer_in_the_middle_is_regenerated_without_losing_what_came_after(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    for text in ("A1", "A2", "A1 again"):
        provider.say(text)
    first = await assistant.answered("Q1")
    await assistant.answered("Q2", session_id=first.session_id)

    again = await assistant.services.retrying.retry(OWNER, first.task_id)
    await assistant.ended(again.id)

    assert await assistant.shown(first.session_id) == ["Q1", "A1 again"]
    await assistant.show(first.session_id, first.answer_id)
    assert await assistant.shown(first.session_id) == ["Q1", "A1", "Q2", "A2"]
