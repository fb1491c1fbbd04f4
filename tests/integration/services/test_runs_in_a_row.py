"""Each run of the same question is a stream of its own, and the next turn builds on what was said."""

import pytest

from assistant.domain.errors import SessionBusy
from assistant.domain.task import TaskReason
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant


async def test_a_run_begun_at_once_after_another_shows_from_its_first_character(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B030: a reader of the first run is still there, and stays with the first run."""
    script = provider.script().say("First").hold().say(" run")
    provider.say("Second", " run")
    sent = await anywhere.send()
    first = anywhere.follow(sent.task_id)
    await first.shows("First")

    script.release()
    await first.ended()
    again = await anywhere.services.retrying.retry(OWNER, sent.task_id)
    second = anywhere.follow(again.id)
    await second.ended()

    assert (first.text, second.text) == ("First run", "Second run")
    assert again.id != sent.task_id


async def test_finished_turns_are_not_touched_by_the_next(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B013."""
    for text in ("Answer one", "Answer two"):
        provider.say(text)
    script = provider.script().say("Answer ").hold().say("three")
    sent = await assistant.answered("1")
    await assistant.answered("2", session_id=sent.session_id)
    third = await assistant.send("3", session_id=sent.session_id)
    await assistant.follow(third.task_id).shows("Answer ")

    texts = [message.text for message in await assistant.messages(sent.session_id)]
    assert texts == ["1", "Answer one", "2", "Answer two", "3", "Answer "]
    script.release()
    await assistant.ended(third.task_id)
    messages = await assistant.messages(sent.session_id)
    assert [message.text for message in messages][1::2] == ["Answer one", "Answer two", "Answer three"]
    assert len({message.id for message in messages}) == 6


async def test_the_next_message_is_told_the_partial_answer_before_it(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B004, B055: an answer that broke off is part of what the provider is told."""
    provider.script().say("The first point is").break_off()
    sent = await assistant.send("Explain.")
    assert (await assistant.ended(sent.task_id)).reason is TaskReason.ERROR

    provider.say("Going on.")
    second = await assistant.answered("go on", session_id=sent.session_id)

    told = [turn["content"] for turn in provider.calls[-1].body["messages"]]
    assert told == ["Explain.", "The first point is", "go on"]
    shown = [message.id for message in await assistant.messages(sent.session_id)]
    assert shown == [sent.message_id, sent.answer_id, second.message_id, second.answer_id]


async def test_a_send_while_one_runs_is_refused_and_the_run_goes_on(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B182."""
    script = provider.script().say("One").hold().say(" done")
    sent = await assistant.send("1")
    await assistant.follow(sent.task_id).shows("One")

    with pytest.raises(SessionBusy):
        await assistant.send("2", session_id=sent.session_id)

    script.release()
    await assistant.ended(sent.task_id)
    assert [message.text for message in await assistant.messages(sent.session_id)] == ["1", "One done"]
