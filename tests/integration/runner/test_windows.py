"""What does not fit a window: a question is refused, a begun answer never, and no window is guessed."""

from collections.abc import AsyncGenerator

import pytest

from assistant.domain.errors import ProviderFailed
from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.task import Task, TaskReason
from assistant.domain.tools import ToolResult
from assistant.settings import Settings
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted
from tests.support.local_provider import DONE, LocalProvider, said
from tests.support.opened import OWNER, Assistant, opened
from tests.support.other_worker import OtherWorker
from tests.support.talking import FITS, WINDOW, Talking, question, summary_of, talked, told
from tests.support.tool_steps import one_step_of

LONG = "word " * 4_200
"""More than the window has beside what is left for an answer, and less than the window."""

REFUSAL = "It is too long."


@pytest.fixture
def quiet_settings(still: Settings) -> Settings:
    return still.model_copy(update={"model_tools": False})


async def rescued(chat: Assistant, text: str, session_id: str | None = None, asked: str = "Long?") -> Task:
    """A task whose worker died in the midst of its answer, as it ended."""
    sent = await chat.send(asked, session_id=session_id, delivered=False)
    lost = OtherWorker(chat)
    await lost.take(sent.task_id)
    await lost.say(text)
    await lost.keep()
    await lost.die()
    async with chat.services.store.write() as unit:
        await unit.workers.remove(lost.worker_id)
    await chat.services.reconciling.run_pass()
    return await chat.ended(sent.task_id)


def error_of(task: Task) -> tuple[str, str]:
    """Its code, and its words."""
    assert task.error is not None
    return task.error.code, task.error.message


@pytest.mark.parametrize("text", [LONG, LONG + LONG])
async def test_a_lost_answer_that_nearly_fills_the_window_is_gone_on_with(
    quiet_settings: Settings, text: str
) -> None:
    """Or more than fills it, as far as can be counted here."""
    talking = Talking()
    talking.provider.continues_prefix = True
    async with opened(quiet_settings, providers=talking.provider) as chat:
        task = await rescued(chat, text)
    assert task.reason is TaskReason.COMPLETE
    assert [each.kept for each in talking.answers] == [text]


async def test_a_continued_answer_that_nearly_fills_the_window_is_gone_on_with(
    quiet_settings: Settings,
) -> None:
    async def play(request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        yield said("The end." if request.kept else LONG)
        if not request.kept:
            raise ProviderFailed("model_broken_stream", "It broke off.")
        yield DONE

    provider = LocalProvider(play, context_tokens=WINDOW)
    async with opened(quiet_settings, providers=provider) as chat:
        broken = await chat.answered("Long?")
        again = await chat.services.retrying.carry_on(OWNER, broken.task_id)
        assert (await chat.ended(again.id)).reason is TaskReason.COMPLETE
        assert await chat.stored(again.id) == LONG + "The end."


async def test_what_is_kept_comes_out_of_what_is_left_for_the_answer(quiet_settings: Settings) -> None:
    """So nothing is summarised for a longer answer than it will be."""
    talking = Talking()
    talking.provider.continues_prefix = True
    async with opened(quiet_settings, providers=talking.provider) as chat:
        sent = await talked(chat, FITS - 1)
        task = await rescued(chat, "word " * 1_500, sent[0].session_id, question(FITS))
    assert task.reason is TaskReason.COMPLETE
    assert talking.summaries == []
    assert len(told(talking.answers[-1])) == FITS


async def test_results_that_nearly_fill_the_window_are_told(still: Settings) -> None:
    provider = one_step_of("read")
    provider.context_tokens = WINDOW
    tools = LedgerTools(Ledger(), read=Scripted(ends=ToolResult("r" * 21_000)))
    async with opened(still, providers=provider, tools=tools) as chat:
        sent = await chat.answered("Read?")
        assert (await chat.task(sent.task_id)).reason is TaskReason.COMPLETE
        assert len(provider.requests) == 2


async def test_a_large_question_has_the_messages_before_it_summarised(quiet_settings: Settings) -> None:
    """It fits, though a summary does only in what is left for the answer."""
    talking = Talking()
    async with opened(quiet_settings, providers=talking.provider) as chat:
        sent = await talked(chat, 2)
        large = await chat.answered("x" * 18_100, session_id=sent[0].session_id)
        assert (await chat.task(large.task_id)).reason is TaskReason.COMPLETE
        assert await summary_of(chat, sent[0].session_id) is not None
    assert [turn.text for turn in talking.answers[-1].turns] == ["x" * 18_100]


async def test_where_no_window_is_named_a_question_of_any_length_is_asked(quiet_settings: Settings) -> None:
    talking = Talking(window=None)
    async with opened(quiet_settings, providers=talking.provider) as chat:
        sent = await talked(chat, 2)
        large = await chat.answered("x" * 120_000, session_id=sent[0].session_id)
        assert (await chat.task(large.task_id)).reason is TaskReason.COMPLETE
    assert talking.answers[-1].turns[-1].text == "x" * 120_000


async def test_where_no_window_is_named_old_messages_are_summarised_towards_one(
    quiet_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.runner.fitting.ASSUMED_WINDOW", WINDOW)
    talking = Talking(window=None)
    async with opened(quiet_settings, providers=talking.provider) as chat:
        await talked(chat, FITS + 2)
    assert len(talking.summaries) == 1
    assert talking.answers[-1].summary == "Summary 1."


@pytest.mark.parametrize("window", [None, 100_000])
async def test_what_the_model_refuses_and_cannot_be_made_shorter_is_asked_once(
    quiet_settings: Settings, window: int | None
) -> None:
    """And told in the words of the provider: no figure is made up."""
    talking = Talking(window=window, refuses_above=7_000)
    async with opened(quiet_settings, providers=talking.provider) as chat:
        sent = await chat.answered("x" * 120_000)
        assert error_of(await chat.task(sent.task_id)) == ("model_context_exceeded", REFUSAL)
    assert len(talking.provider.requests) == 1


async def test_after_a_refusal_the_question_is_not_refused_by_a_guess(quiet_settings: Settings) -> None:
    """The messages before it are left out, and the rest is asked, though it is more than half of before."""
    talking = Talking(window=100_000, refuses_above=7_000)
    async with opened(quiet_settings, providers=talking.provider) as chat:
        sent = await talked(chat, 2)
        large = await chat.answered("x" * 20_000, session_id=sent[0].session_id)
        assert (await chat.task(large.task_id)).reason is TaskReason.COMPLETE
    assert len(talking.summaries) == 1
    assert [turn.text for turn in talking.answers[-1].turns] == ["x" * 20_000]


async def test_a_piece_that_the_model_refuses_is_told_in_halves(quiet_settings: Settings) -> None:
    """What it reads is learnt once a drive, and nothing is left out."""
    wide, narrow = Talking(window=200_000), Talking(window=16_000, refuses_above=4_000)
    async with opened(quiet_settings, providers=wide.provider) as chat:
        large = await chat.answered("z" * 40_000)
    async with opened(quiet_settings, providers=narrow.provider) as chat:
        answered = await chat.answered("And?", session_id=large.session_id)
        assert (await chat.task(answered.task_id)).reason is TaskReason.COMPLETE
    asked = [each.turns[0].text.count("z") for each in narrow.summaries]
    assert asked[0] > 2 * asked[2]
    assert asked[3] == asked[4]
    assert sum(asked[2:]) >= 40_000
