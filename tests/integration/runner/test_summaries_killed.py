"""Around a summary somebody stops, dies, takes over or deletes: one is stored at most, one answer comes."""

import asyncio

import pytest

from assistant.domain.models import Step
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tokens import tokens_of
from assistant.runner.fitting import Fitting
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted
from tests.support.local_provider import DONE, LocalProvider, said
from tests.support.opened import OWNER, Assistant, Sent, opened
from tests.support.other_process import OtherProcess
from tests.support.talking import ANSWER, FITS, Talking, question, summary_of, talked
from tests.support.tool_steps import asks


@pytest.fixture
def talking() -> Talking:
    return Talking()


@pytest.fixture
def quiet_settings(still: Settings) -> Settings:
    return still.model_copy(update={"model_tools": False})


async def at_a_held_summary(chat: Assistant, talking: Talking, other: OtherProcess) -> Sent:
    """A task that another process drives, in the midst of its summary."""
    sent = await talked(chat, FITS + 1)
    talking.summarise = talking.held
    last = await chat.send(question(FITS + 2), session_id=sent[0].session_id, delivered=False)
    await other.drive(last.task_id)
    await eventually(lambda: len(talking.summaries) == 1)
    return last


def away(chat: Assistant, talking: Talking) -> OtherProcess:
    return OtherProcess(chat, talking.provider, LedgerTools(Ledger()))


async def test_a_stop_during_a_summary_stops_the_task_and_leaves_the_model(
    quiet_settings: Settings, talking: Talking
) -> None:
    async with opened(quiet_settings, providers=talking.provider) as chat:
        sent = await talked(chat, FITS + 1)
        talking.summarise = talking.held
        last = await chat.send(question(FITS + 2), session_id=sent[0].session_id)
        await eventually(lambda: len(talking.summaries) == 1)

        stopped = await chat.services.stopping.stop(OWNER, last.task_id)

        assert (stopped.state, stopped.reason) == (TaskState.DONE, TaskReason.STOPPED)
        await eventually(lambda: talking.provider.left == 1)  # its line is closed at once
        assert len(talking.answers) == FITS + 1


async def test_a_summary_that_is_whole_after_a_stop_is_not_stored(
    quiet_settings: Settings, talking: Talking
) -> None:
    """The process that makes it hears of the stop by its insert."""
    async with opened(quiet_settings, providers=talking.provider) as chat:
        other = away(chat, talking)
        last = await at_a_held_summary(chat, talking, other)
        stopped = await chat.services.stopping.stop(OWNER, last.task_id)
        assert (stopped.state, stopped.reason) == (TaskState.DONE, TaskReason.STOPPED)

        talking.gate.set()
        await other.ended()

        assert talking.provider.left == 0, "it was whole"
        assert await summary_of(chat, last.session_id) is None
        assert len(talking.answers) == FITS + 1


async def test_killed_during_a_summary_the_next_attempt_makes_it_again(
    quiet_settings: Settings, talking: Talking
) -> None:
    async with opened(quiet_settings, providers=talking.provider) as chat:
        other = away(chat, talking)
        last = await at_a_held_summary(chat, talking, other)
        await other.kill()
        talking.summarise = talking.numbered
        await chat.services.reconciling.run_pass()

        task = await chat.ended(last.task_id)
        assert (task.reason, task.attempt) == (TaskReason.COMPLETE, 2)
        assert len(talking.summaries) == 2
        summary = await summary_of(chat, last.session_id)
        assert summary is not None
        assert talking.answers[-1].summary == summary.text == "Summary 2."
        assert await chat.stored(last.task_id) == ANSWER


async def test_killed_after_it_was_stored_the_next_attempt_finds_it(
    quiet_settings: Settings, talking: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(quiet_settings, providers=talking.provider) as chat:
        sent = await talked(chat, FITS + 1)
        other = away(chat, talking)
        last = await chat.send(question(FITS + 2), session_id=sent[0].session_id, delivered=False)
        fit = Fitting.fit

        async def fit_and_hang(*given: object) -> object:
            await fit(*given)  # ty: ignore[invalid-argument-type]
            await talking.gate.wait()

        monkeypatch.setattr(Fitting, "fit", fit_and_hang)
        await other.drive(last.task_id)

        async def is_stored() -> bool:
            return await summary_of(chat, last.session_id) is not None

        await eventually(is_stored)
        await other.kill()
        monkeypatch.setattr(Fitting, "fit", fit)
        await chat.services.reconciling.run_pass()

        assert (await chat.ended(last.task_id)).reason is TaskReason.COMPLETE
        assert len(talking.summaries) == 1
        assert talking.answers[-1].summary == "Summary 1."


async def test_of_two_workers_only_the_one_that_holds_the_task_stores_its_summary(
    quiet_settings: Settings, talking: Talking
) -> None:
    """A zombie, whose model was only slow, stores and answers nothing, though it is the first to be done."""
    ours = asyncio.Event()
    async with opened(quiet_settings, providers=talking.provider) as chat:
        zombie = away(chat, talking)
        last = await at_a_held_summary(chat, talking, zombie)
        await zombie.seem_lost()
        talking.summarise = talking.held_at(ours)
        await chat.services.reconciling.run_pass()
        await eventually(lambda: len(talking.summaries) == 2)

        talking.gate.set()
        await zombie.ended()

        assert await summary_of(chat, last.session_id) is None
        ours.set()
        await chat.ended(last.task_id)
        summary = await summary_of(chat, last.session_id)
        assert summary is not None
        assert summary.text == "Summary 2, held."
        assert len(talking.answers) == FITS + 2
        assert await chat.stored(last.task_id) == ANSWER


async def test_a_summary_of_one_that_was_deleted_meanwhile_is_not_stored_but_made_of_the_originals(
    quiet_settings: Settings, talking: Talking
) -> None:
    async with opened(quiet_settings, providers=talking.provider) as chat:
        sent = await talked(chat, FITS + 5)
        session_id = sent[0].session_id
        assert len(talking.summaries) == 1
        talking.summarise = talking.held
        last = await chat.send(question(FITS + 6), session_id=session_id)
        await eventually(lambda: len(talking.summaries) == 2)
        await chat.services.discarding.discard(OWNER, session_id)
        talking.summarise = talking.numbered
        talking.gate.set()

        assert (await chat.ended(last.task_id)).reason is TaskReason.COMPLETE
        assert "Question 1:" in talking.summaries[2].turns[0].text
        assert not any("held" in each.turns[0].text for each in talking.summaries[2:])
        summary = await summary_of(chat, session_id)
        assert summary is not None
        assert talking.answers[-1].summary == summary.text == f"Summary {len(talking.summaries)}."


async def test_results_stay_with_their_calls_and_are_summarised_with_them(still: Settings) -> None:
    requests = []

    async def play(request):
        requests.append(request)
        if request.purpose == "summary":
            yield said("Summary.")
        elif not request.steps:
            yield said("Looking. ")
            yield asks("read")
            return
        else:
            yield said(ANSWER)
        yield DONE

    provider = LocalProvider(play, context_tokens=8_192)
    tools = LedgerTools(Ledger(), read=Scripted())
    async with opened(still, providers=provider, tools=tools) as chat:
        await talked(chat, FITS + 3)

    summaries = [each for each in requests if each.purpose == "summary"]
    assert summaries
    assert "Tool read({}) -> read did it" in summaries[0].turns[0].text
    for request in requests:
        assert tokens_of(request) <= 8_192
        assert request.turns[0].role == "user"
        steps: list[Step] = [step for turn in request.turns for step in turn.steps]
        assert all(call.result for step in steps for call in step.calls)
