"""After an unknown outcome a person says, once, what became of a call; what is known is never done again."""

import asyncio

import pytest

from assistant.domain.errors import AlreadySettled, NotFound, NotRetryable, OutcomeKnown, SessionBusy
from assistant.domain.models import CallAsked
from assistant.domain.records import WishKind
from assistant.domain.task import Task, TaskReason, TaskState
from assistant.domain.tool_call import MARKED_DONE, Decision, ToolCallReason, ToolCallState
from assistant.domain.tools import ToolResult
from assistant.services.wishes import wish_about
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted, gate
from tests.support.local_provider import DONE, said
from tests.support.opened import OWNER, Assistant, opened
from tests.support.tool_steps import asks, one_step_of, steps

UNKNOWN = ToolResult.unknown("The line was cut.")


def three(ledger: Ledger) -> LedgerTools:
    return LedgerTools(ledger, mail=Scripted(), db=Scripted(), chat=Scripted(ends=UNKNOWN))


async def interrupted(assistant: Assistant) -> Task:
    """An answer that ended since nobody knows what became of a call."""
    sent = await assistant.send()
    task = await assistant.ended(sent.task_id)
    assert task.reason is TaskReason.INTERRUPTED
    return task


async def test_run_again_runs_the_one_call_again_and_no_other(still: Settings, ledger: Ledger) -> None:
    """Case B064."""
    provider, tools = one_step_of("mail", "db", "chat"), three(ledger)
    async with opened(still, providers=provider, tools=tools) as assistant:
        ended = await interrupted(assistant)
        tools.tools["chat"].ends = None
        again = await assistant.services.retrying.run_again(OWNER, ended.tool_calls[2].id)
        task = await assistant.ended(again.id)
        assert await assistant.stored(again.id) == "First. Then."
        message = (await assistant.messages(task.session_id))[-1]
        assert await assistant.task(ended.id) == ended, "nothing that exists changes"

    assert task.reason is TaskReason.COMPLETE
    assert [ledger.times(name) for name in ("mail", "db", "chat")] == [1, 1, 2]
    assert ledger.at_most_once()
    assert [call.retry_of for call in task.tool_calls] == [None, None, ended.tool_calls[2].id]
    assert [part.call_id for part in message.parts if part.call_id] == [call.id for call in task.tool_calls]
    assert not {call.id for call in ended.tool_calls} & {call.id for call in task.tool_calls}
    told = provider.requests[-1].steps[0].calls
    assert [call.result for call in told] == ["mail did it", "db did it", "chat did it"]
    assert provider.requests[-1].kept == ""


async def test_mark_done_goes_on_without_running_it(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of("mail", "chat")
    async with opened(still, providers=provider, tools=three(ledger)) as assistant:
        ended = await interrupted(assistant)
        done = await assistant.services.retrying.mark_done(OWNER, ended.tool_calls[1].id)
        task = await assistant.ended(done.id)

    mail, chat = task.tool_calls
    assert (chat.state, chat.result, chat.decided_by) == (ToolCallState.COMPLETED, MARKED_DONE, OWNER)
    assert chat.decided_at is not None
    assert (task.reason, mail.result) == (TaskReason.COMPLETE, "mail did it")
    assert provider.requests[-1].steps[0].calls[1].result == MARKED_DONE
    assert [ledger.times(name) for name in ("mail", "chat")] == [1, 1]


async def test_what_became_of_a_call_is_said_once(still: Settings, ledger: Ledger) -> None:
    """Twenty clicks of two kinds, on the call in which nobody knew."""
    async with opened(still, providers=one_step_of("chat"), tools=three(ledger)) as assistant:
        ended = await interrupted(assistant)
        (call,) = ended.tool_calls
        retrying = assistant.services.retrying
        wishes = [retrying.run_again, retrying.mark_done] * 10
        outcomes = await asyncio.gather(*(wish(OWNER, call.id) for wish in wishes), return_exceptions=True)
        (won,) = [each for each in outcomes if isinstance(each, Task)]
        refused = [each for each in outcomes if isinstance(each, AlreadySettled)]
        assert len(refused) == 19
        assert {each.details["task_id"] for each in refused} == {won.id}
        await assistant.ended(won.id)
        with pytest.raises(AlreadySettled):
            await retrying.run_again(OWNER, call.id)
    assert ledger.times("chat") <= 2


async def test_the_same_key_gives_the_same_task(still: Settings, ledger: Ledger) -> None:
    async with opened(still, providers=one_step_of("chat"), tools=three(ledger)) as assistant:
        (call,) = (await interrupted(assistant)).tool_calls
        wish = wish_about(WishKind.RUN_AGAIN, call.id, "once")
        first = await assistant.services.retrying.run_again(OWNER, call.id, wish)
        again = await assistant.services.retrying.run_again(OWNER, call.id, wish)
        assert first.id == again.id


async def test_two_unknown_calls_are_settled_one_after_the_other(still: Settings, ledger: Ledger) -> None:
    """The second where the first went on; on the old one it is told where that is."""
    provider = one_step_of("chat", "chat")
    tools = three(ledger)
    async with opened(still, providers=provider, tools=tools) as assistant:
        ended = await interrupted(assistant)
        first, second = ended.tool_calls
        retrying = assistant.services.retrying
        half = await assistant.ended((await retrying.mark_done(OWNER, first.id)).id)
        assert half.error is not None
        assert (half.reason, half.error.code) == (TaskReason.INTERRUPTED, "outcome_unknown")
        assert [call.outcome_unknown for call in half.tool_calls] == [False, True]
        for call in (first, second):
            with pytest.raises(AlreadySettled) as refused:
                await retrying.run_again(OWNER, call.id)
            assert refused.value.details["task_id"] == half.id
        with pytest.raises(NotRetryable):
            await retrying.carry_on(OWNER, half.id)
        tools.tools["chat"].ends = None
        whole = await assistant.ended((await retrying.run_again(OWNER, half.tool_calls[1].id)).id)

    assert whole.reason is TaskReason.COMPLETE
    assert [call.result for call in whole.tool_calls] == [MARKED_DONE, "chat did it"]
    assert ledger.times("chat") == 3


async def test_run_again_counts_as_an_approval(still: Settings, ledger: Ledger) -> None:
    tools = LedgerTools(ledger, pay=Scripted(needs_decision=True, ends=UNKNOWN))
    provider = one_step_of(CallAsked("pay", '{"cents": 5}'))
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        (call,) = (await assistant.parked(sent.task_id)).tool_calls
        await assistant.decide(call)
        await assistant.ended(sent.task_id)
        tools.tools["pay"].ends = None
        again = await assistant.services.retrying.run_again(OWNER, call.id)
        task = await assistant.ended(again.id)

    (again_call,) = task.tool_calls
    assert (again_call.decision, again_call.decided_by) == (Decision.APPROVE, OWNER)
    assert again_call.arguments_hash == call.arguments_hash
    assert ledger.effects == [("pay", call.id), ("pay", again_call.id)]


async def test_only_an_unknown_outcome_of_ones_own_is_to_be_settled(still: Settings, ledger: Ledger) -> None:
    async with opened(still, providers=one_step_of("mail", "chat"), tools=three(ledger)) as assistant:
        ended = await interrupted(assistant)
        retrying = assistant.services.retrying
        for settle in (retrying.run_again, retrying.mark_done):
            with pytest.raises(OutcomeKnown):
                await settle(OWNER, ended.tool_calls[0].id)
            with pytest.raises(NotFound):
                await settle("somebody else", ended.tool_calls[1].id)
        with pytest.raises(NotRetryable):
            await retrying.carry_on(OWNER, ended.id)


async def test_nothing_is_settled_while_another_answer_is_written(still: Settings, ledger: Ledger) -> None:
    provider = steps((asks("chat"),), (gate(), DONE))
    tools = three(ledger)
    async with opened(still, providers=provider, tools=tools) as assistant:
        ended = await interrupted(assistant)
        tools.tools["chat"].ends = None
        await assistant.send("Next", session_id=ended.session_id)
        await eventually(lambda: ledger.times("chat") == 2)
        with pytest.raises(SessionBusy):
            await assistant.services.retrying.run_again(OWNER, ended.tool_calls[0].id)


async def test_retry_begins_anew_and_takes_nothing_over(still: Settings, ledger: Ledger) -> None:
    tools = three(ledger)
    async with opened(still, providers=one_step_of("chat"), tools=tools) as assistant:
        ended = await interrupted(assistant)
        tools.tools["chat"].ends = None
        again = await assistant.ended((await assistant.services.retrying.retry(OWNER, ended.id)).id)
    assert [call.retry_of for call in again.tool_calls] == [None]
    assert again.reason is TaskReason.COMPLETE


async def test_continue_after_a_stop_asks_anew_what_never_began_and_repeats_nothing(
    still: Settings, ledger: Ledger
) -> None:
    """One call done, one denied, one undecided: only the last is asked for once more."""
    provider = one_step_of("look", "mail", "mail")
    tools = LedgerTools(ledger, look=Scripted(), mail=Scripted(needs_decision=True))
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        look, denied, undecided = (await assistant.parked(sent.task_id)).tool_calls
        await assistant.decide(denied, Decision.DENY, reason="Not that one.")
        await assistant.services.stopping.stop(OWNER, sent.task_id)
        continued = await assistant.services.retrying.carry_on(OWNER, sent.task_id)
        parked = await assistant.parked(continued.id)
        assert [call.state for call in parked.tool_calls] == [
            ToolCallState.COMPLETED,
            ToolCallState.FAILED,
            ToolCallState.REQUESTED,
        ]
        assert parked.tool_calls[1].reason is ToolCallReason.DENIED
        assert parked.tool_calls[2].retry_of == undecided.id
        await assistant.decide(parked.tool_calls[2])
        task = await assistant.ended(continued.id)
        assert await assistant.stored(continued.id) == "First. Then."

    results = [call.result for call in provider.requests[-1].steps[0].calls]
    assert results[0] == "look did it"
    assert "They said: Not that one." in results[1]
    assert results[2] == "mail did it"
    assert ledger.effects == [("look", look.id), ("mail", task.tool_calls[2].id)]


async def test_continue_goes_on_after_the_calls_where_the_text_broke_off(
    still: Settings, ledger: Ledger
) -> None:
    hangs = gate()
    provider = steps((said("One. "), asks("look")), (said("Two, "), hangs, said("three."), DONE))
    tools = LedgerTools(ledger, look=Scripted())
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        await assistant.follow(sent.task_id).shows("One. Two, ")
        stopped = await assistant.services.stopping.stop(OWNER, sent.task_id)
        hangs.set()
        continued = await assistant.services.retrying.carry_on(OWNER, sent.task_id)
        task = await assistant.ended(continued.id)
        assert await assistant.stored(continued.id) == "One. Two, Two, three."

    request = provider.requests[-1]
    assert (request.kept, request.steps[0].text) == ("Two, ", "One. ")
    assert [call.result for call in request.steps[0].calls] == ["look did it"]
    assert (stopped.state, task.state, ledger.times("look")) == (TaskState.DONE, TaskState.DONE, 1)


async def test_a_seeded_task_that_was_killed_before_it_ran_goes_on_once(
    still: Settings, ledger: Ledger
) -> None:
    tools = three(ledger)
    async with opened(still, runner=False, providers=one_step_of("chat"), tools=tools) as assistant:
        sent = await assistant.send()
        await assistant.services.working.deliver(sent.task_id)
        ended = await assistant.ended(sent.task_id)
        tools.tools["chat"].ends = None
        again = await assistant.services.retrying.run_again(OWNER, ended.tool_calls[0].id)
        assert (again.state, again.attempt) == (TaskState.PENDING, 0)
    async with opened(still, providers=one_step_of("chat"), tools=tools) as assistant:
        task = await assistant.ended(again.id)
        assert (task.reason, task.attempt) == (TaskReason.COMPLETE, 1)
    assert ledger.times("chat") == 2
    assert ledger.at_most_once()
