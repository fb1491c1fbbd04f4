"""A conversation that does not fit its model any more: the oldest messages are summarised, and stay."""

from collections.abc import AsyncGenerator

import pytest

from assistant.domain.errors import ProviderFailed
from assistant.domain.message import Role
from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tokens import tokens_of
from assistant.settings import Settings
from tests.support.local_provider import DONE, LocalProvider, said
from tests.support.opened import OWNER, Assistant, opened
from tests.support.talking import FITS, Talking, question, summary_of, talked, told


@pytest.fixture
def talking() -> Talking:
    return Talking()


@pytest.fixture
def without_tools(settings: Settings) -> Settings:
    """Their descriptions would take most of a small window."""
    return settings.model_copy(update={"model_tools": False})


@pytest.fixture
async def chat(without_tools: Settings, talking: Talking) -> AsyncGenerator[Assistant]:
    async with opened(without_tools, providers=talking.provider) as assistant:
        yield assistant


async def test_what_fits_is_told_whole_and_what_does_not_is_summarised_once(
    chat: Assistant, talking: Talking
) -> None:
    sent = await talked(chat, FITS + 1)
    assert talking.summaries == []
    before = await chat.messages(sent[0].session_id)

    await chat.answered(question(FITS + 2), session_id=sent[0].session_id)

    assert len(talking.summaries) == 1
    asked = talking.summaries[0].turns[0].text
    assert "Question 1:" in asked
    assert f"Question {FITS + 1}:" not in asked
    answer = talking.answers[-1]
    assert answer.summary == "Summary 1."
    assert answer.turns[0].role is Role.USER
    assert told(answer)[-1] == f"Question {FITS + 2}"
    summary = await summary_of(chat, sent[0].session_id)
    assert summary is not None
    assert (summary.text, summary.based_on) == ("Summary 1.", None)
    last = next(at for at, each in enumerate(before) if each.id == summary.through_id)
    assert before[last].role is Role.ASSISTANT
    assert before[last + 1].text.startswith(told(answer)[0])
    after = await chat.messages(sent[0].session_id)
    assert [(each.id, each.text) for each in after[: len(before)]] == [
        (each.id, each.text) for each in before
    ]


async def test_the_next_turns_use_the_stored_summary_until_they_do_not_fit_either(
    chat: Assistant, talking: Talking
) -> None:
    sent = await talked(chat, FITS + 3)
    assert len(talking.summaries) == 1
    assert [each.summary for each in talking.answers[-2:]] == ["Summary 1."] * 2
    first = await summary_of(chat, sent[0].session_id)

    for number in range(FITS + 4, FITS + 7):
        await chat.answered(question(number), session_id=sent[0].session_id)

    assert len(talking.summaries) == 2
    assert "Summary 1." in talking.summaries[1].turns[0].text
    assert "Question 1:" not in talking.summaries[1].turns[0].text
    second = await summary_of(chat, sent[0].session_id)
    assert first
    assert second
    assert second.based_on == first.id


async def test_an_edit_above_its_end_does_not_use_it_and_one_below_does(
    chat: Assistant, talking: Talking
) -> None:
    sent = await talked(chat, FITS + 2)
    assert len(talking.summaries) == 1

    await chat.answered(question(99), edits=sent[0].message_id)
    assert (talking.answers[-1].summary, told(talking.answers[-1])) == ("", ["Question 99"])
    assert await summary_of(chat, sent[0].session_id) is None

    await chat.answered(question(98), edits=sent[-1].message_id)
    assert talking.answers[-1].summary == "Summary 1."
    assert await summary_of(chat, sent[0].session_id) is not None
    assert len(talking.summaries) == 1


async def test_after_a_delete_the_originals_are_told_and_summarised_anew_if_they_do_not_fit(
    chat: Assistant, talking: Talking
) -> None:
    sent = await talked(chat, FITS + 2)
    session_id = sent[0].session_id
    await chat.services.discarding.discard(OWNER, session_id)
    assert await summary_of(chat, session_id) is None
    assert len(talking.summaries) == 1, "a delete has none made"

    await chat.answered("Short?", edits=sent[FITS].message_id)
    assert (talking.answers[-1].summary, len(told(talking.answers[-1]))) == ("", FITS)

    await chat.show(session_id, sent[-1].answer_id)
    await chat.answered(question(FITS + 3), session_id=session_id)
    assert len(talking.summaries) == 2
    assert "Question 1:" in talking.summaries[-1].turns[0].text


async def test_a_summary_that_fails_ends_the_answer_in_words_and_a_retry_makes_it(
    chat: Assistant, talking: Talking
) -> None:
    sent = await talked(chat, FITS + 1)
    talking.summarise = talking.refused
    failed = await chat.answered(question(FITS + 2), session_id=sent[0].session_id)
    task = await chat.task(failed.task_id)
    assert (task.state, task.reason) == (TaskState.FAILED, TaskReason.ERROR)
    assert task.error is not None
    assert (task.error.code, "no summary" in task.error.message) == ("summary_failed", True)
    assert await chat.stored(failed.task_id) == ""

    talking.summarise = talking.numbered
    again = await chat.services.retrying.retry(OWNER, failed.task_id)
    assert (await chat.ended(again.id)).reason is TaskReason.COMPLETE
    assert await summary_of(chat, sent[0].session_id) is not None


async def test_an_empty_summary_is_none(chat: Assistant, talking: Talking) -> None:
    async def nothing(_: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        yield said(" \n")
        yield DONE

    sent = await talked(chat, FITS + 1)
    talking.summarise = nothing
    failed = await chat.answered(question(FITS + 2), session_id=sent[0].session_id)
    task = await chat.task(failed.task_id)
    assert task.error is not None
    assert task.error.code == "summary_failed"
    assert await summary_of(chat, sent[0].session_id) is None


async def test_a_model_that_reads_less_than_was_configured_is_told_less_once(without_tools: Settings) -> None:
    talking = Talking(window=100_000, refuses_above=7_000)
    async with opened(without_tools, providers=talking.provider) as chat:
        sent = await talked(chat, 7)
        assert talking.summaries == []
        answered = await chat.answered(question(8), session_id=sent[0].session_id)
        assert (await chat.task(answered.task_id)).reason is TaskReason.COMPLETE
        assert len(talking.answers) == 9, "one was refused"
        assert talking.answers[-1].summary == f"Summary {len(talking.summaries)}."
        assert told(talking.answers[-1])[-1] == "Question 8"

        talking.refuses_above, before = 100, len(talking.provider.requests)
        refused = await chat.answered(question(9), session_id=sent[0].session_id)
        task = await chat.task(refused.task_id)
        assert task.error is not None
        assert task.error.code == "model_context_exceeded"
        tried = [tokens_of(each) for each in talking.provider.requests[before:]]
        assert len(tried) > 1
        assert tried == sorted(set(tried), reverse=True), "each was told less than the one before"


async def test_a_step_of_which_something_came_is_not_begun_again(without_tools: Settings) -> None:
    async def play(_: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        yield said("Half.")
        raise ProviderFailed("model_context_exceeded", "It is too long.")

    provider = LocalProvider(play)
    async with opened(without_tools, providers=provider) as chat:
        sent = await chat.answered("Why?")
        assert (await chat.task(sent.task_id)).reason is TaskReason.ERROR
        assert await chat.stored(sent.task_id) == "Half."
    assert len(provider.requests) == 1


async def test_a_message_that_is_larger_than_the_window_is_refused_in_words_and_an_edit_cures_it(
    chat: Assistant, talking: Talking
) -> None:
    sent = await talked(chat, 2)
    large = "y" * 40_000
    refused = await chat.answered(large, session_id=sent[0].session_id)
    task = await chat.task(refused.task_id)
    assert (task.state, task.reason) == (TaskState.FAILED, TaskReason.ERROR)
    assert task.error is not None
    assert (task.error.code, "8,192" in task.error.message) == ("context_too_long", True)
    assert (len(talking.answers), talking.summaries) == (2, []), "nobody was asked"
    assert large in await chat.shown(sent[0].session_id)

    cured = await chat.answered("Shorter?", edits=refused.message_id)
    assert (await chat.task(cured.task_id)).reason is TaskReason.COMPLETE


async def test_an_old_message_that_no_aside_can_hold_is_read_in_pieces(without_tools: Settings) -> None:
    """A summary of the summary and the next piece."""
    wide, narrow = Talking(window=200_000), Talking()
    async with opened(without_tools, providers=wide.provider) as chat:
        large = await chat.answered("z" * 40_000)
    async with opened(without_tools, providers=narrow.provider) as chat:
        await chat.answered("And?", session_id=large.session_id)
        asked = [each.turns[0].text for each in narrow.summaries]
        assert len(asked) > 2
        assert sum(text.count("z") for text in asked) >= 40_000
        assert all(f"Summary {number}." in text for number, text in enumerate(asked[1:], 1))
        summary = await summary_of(chat, large.session_id)
        assert summary is not None
        assert (summary.through_id, summary.text) == (large.answer_id, f"Summary {len(asked)}.")
        assert [turn.text for turn in narrow.answers[0].turns] == ["And?"]


async def test_a_summary_is_found_beyond_the_few_messages_that_are_read_first(
    chat: Assistant, talking: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = await talked(chat, FITS + 2)
    monkeypatch.setattr("assistant.runner.asking.FEW_MESSAGES", 2)
    await chat.answered(question(FITS + 3), session_id=sent[0].session_id)
    assert talking.answers[-1].summary == "Summary 1."
    assert told(talking.answers[-1]) == [*told(talking.answers[-2]), f"Question {FITS + 3}"]
    assert len(talking.summaries) == 1


async def test_more_messages_than_are_read_at_once_are_summarised_however_short(
    chat: Assistant, talking: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.runner.fitting.MOST_TOLD_MESSAGES", 4)
    sent = await talked(chat, 3)
    assert len(talking.summaries) == 1
    assert told(talking.answers[-1]) == ["Question 3"]
    assert (await summary_of(chat, sent[0].session_id)) is not None
