"""One call, one decision, one effect, whoever decides, how often and from where."""

import asyncio
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from assistant.domain.errors import (
    AlreadyDecided,
    ArgumentsMismatch,
    InvalidInput,
    KeyReused,
    NotFound,
    NotUndecided,
)
from assistant.domain.models import CallAsked
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tool_call import Decision, ToolCall, ToolCallReason, ToolCallState
from assistant.services.deciding import MAX_REASON_CHARACTERS
from assistant.settings import Settings
from assistant.storage.schema import tool_calls
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted, gate
from tests.support.opened import OWNER, Assistant, NoQueue, opened
from tests.support.tool_steps import one_step_of

APPROVE, DENY = Decision.APPROVE, Decision.DENY


def asking(ledger: Ledger) -> LedgerTools:
    return LedgerTools(ledger, mail=Scripted(needs_decision=True), look=Scripted())


async def pending(assistant: Assistant) -> ToolCall:
    """A call that waits for a person."""
    sent = await assistant.send()
    return (await assistant.parked(sent.task_id)).tool_calls[0]


@pytest.mark.parametrize("mixed", [False, True])
async def test_of_a_hundred_decisions_at_the_same_time_one_is_made_and_all_are_told_it(
    settings_anywhere: Settings, ledger: Ledger, mixed: bool
) -> None:
    """Cases B068, B069: with and without keys, from several tabs."""
    provider, tools = one_step_of("mail"), asking(ledger)
    async with opened(settings_anywhere, runner=True, providers=provider, tools=tools) as assistant:
        call = await pending(assistant)

        async def decide(n: int) -> object:
            decision = DENY if mixed and n % 3 == 0 else APPROVE
            try:
                return await assistant.decide(call, decision, key=f"key {n}" if n % 2 else None)
            except AlreadyDecided as refusal:
                return refusal

        outcomes = await asyncio.gather(*(decide(n) for n in range(100)))
        task = await assistant.ended(call.task_id)

    (decided,) = task.tool_calls
    refusals = [each for each in outcomes if isinstance(each, AlreadyDecided)]
    assert len(refusals) == 99
    assert decided.decided_by == OWNER
    for refusal in refusals:
        assert refusal.details == {
            "decision": decided.decision,
            "decided_at": decided.decided_at,
            "decided_by": OWNER,
            "decided_on": None,
        }
    assert ledger.effects_of(call.id) == (decided.decision is APPROVE)
    assert (task.reason, len(provider.requests)) == (TaskReason.COMPLETE, 2)


@pytest.mark.parametrize("settings_anywhere", ["servers"], indirect=True)
async def test_decisions_in_one_process_are_carried_out_in_another(
    settings_anywhere: Settings, ledger: Ledger, tmp_path: Path
) -> None:
    """Beside a call that runs there, and of a task that is parked."""
    opens, provider = gate(), one_step_of("slow", "mail", "mail")
    tools = LedgerTools(ledger, slow=Scripted(before=opens), mail=Scripted(needs_decision=True))
    web_settings = settings_anywhere.model_copy(update={"data_dir": tmp_path / "web"})
    async with (
        opened(settings_anywhere, runner=True, providers=provider, tools=tools),
        opened(web_settings, runner=False, providers=provider, tools=tools) as web,
    ):
        sent = await web.send()
        await ledger.has_begun("slow")
        _, first, second = (await web.task(sent.task_id)).tool_calls
        await web.decide(first)
        await ledger.has("mail")
        assert ledger.times("slow") == 0
        opens.set()
        await web.parked(sent.task_id)
        await web.decide(second)
        assert (await web.ended(sent.task_id)).reason is TaskReason.COMPLETE
    assert ledger.effects_of(first.id) == ledger.effects_of(second.id) == 1


async def test_approve_and_deny_at_once_have_one_winner_each_time(still: Settings, ledger: Ledger) -> None:
    """Case B068: fifty rounds."""
    async with opened(still, providers=one_step_of("mail"), tools=asking(ledger)) as assistant:

        async def round_of(_: int) -> tuple[Decision | None, int]:
            call = await pending(assistant)
            outcomes = await asyncio.gather(
                assistant.decide(call), assistant.decide(call, DENY), return_exceptions=True
            )
            assert Counter(type(outcome) for outcome in outcomes)[AlreadyDecided] == 1
            task = await assistant.ended(call.task_id)
            return task.tool_calls[0].decision, ledger.effects_of(call.id)

        rounds = []
        for _ in range(10):
            rounds += await asyncio.gather(*(round_of(n) for n in range(5)))
    assert len(rounds) == 50
    assert all(effects == (decision is APPROVE) for decision, effects in rounds)


async def test_the_same_key_gives_the_same_task_and_another_wish_under_it_is_refused(
    still: Settings, ledger: Ledger
) -> None:
    async with opened(still, providers=one_step_of("mail"), tools=asking(ledger)) as assistant:
        call = await pending(assistant)
        first = await assistant.decide(call, key="once")
        again = await assistant.decide(call, key="once")
        assert first.id == again.id == call.task_id
        with pytest.raises(KeyReused):
            await assistant.decide(call, DENY, key="once")
        await assistant.ended(call.task_id)
        assert (await assistant.decide(call, key="once")).reason is TaskReason.COMPLETE
        with pytest.raises(AlreadyDecided):
            await assistant.decide(call, key="another")
    assert ledger.effects_of(call.id) == 1


async def test_a_decision_is_about_the_arguments_that_were_seen(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of(CallAsked("mail", '{"to": "ada"}'))
    async with opened(still, providers=provider, tools=asking(ledger)) as assistant:
        call = await pending(assistant)
        for decision in Decision:
            with pytest.raises(ArgumentsMismatch):
                await assistant.decide(call, decision, arguments_hash="0" * 64, key="kept free")
        assert await assistant.call(call.task_id, "mail") == call
        await assistant.decide(call, key="kept free")
        await assistant.ended(call.task_id)
    assert ledger.arguments[call.id] == {"to": "ada"}


async def test_an_approval_after_a_denial_is_told_of_it(still: Settings, ledger: Ledger) -> None:
    """Case B072: a forged approval of a decided call changes nothing."""
    async with opened(still, providers=one_step_of("mail"), tools=asking(ledger)) as assistant:
        call = await pending(assistant)
        await assistant.decide(call, DENY, reason="No.")
        ended = await assistant.ended(call.task_id)
        for arguments_hash in (None, "0" * 64):
            with pytest.raises(AlreadyDecided) as refused:
                await assistant.decide(call, arguments_hash=arguments_hash)
            assert refused.value.details["decision"] is DENY
        assert await assistant.task(call.task_id) == ended
        assert ended.tool_calls[0].decision_reason == "No."
    assert ledger.begun == []


async def test_an_approval_after_the_expiry_is_refused_before_and_after_the_pass(
    still: Settings, ledger: Ledger
) -> None:
    async with opened(still, providers=one_step_of("mail"), tools=asking(ledger)) as assistant:
        call = await pending(assistant)
        past = assistant.services.clock.now() - timedelta(seconds=1)
        await assistant.change(update(tool_calls).values(expires_at=past))
        for reason in (None, ToolCallReason.EXPIRED):
            with pytest.raises(NotUndecided) as refused:
                await assistant.decide(call)
            assert refused.value.details["reason"] is reason
            assert "time to decide is over" in refused.value.message
            await assistant.services.reconciling.run_pass()
        assert (await assistant.task(call.task_id)).reason is TaskReason.EXPIRED
    assert ledger.begun == []


async def test_an_approval_after_a_stop_is_refused_also_when_the_stop_is_half_done(
    still: Settings, ledger: Ledger
) -> None:
    async with opened(still, providers=one_step_of("mail"), tools=asking(ledger)) as assistant:
        call = await pending(assistant)
        task = await assistant.task(call.task_id)
        async with assistant.services.store.write() as unit:
            await assistant.services.stopping.request(unit, task)
        with pytest.raises(NotUndecided) as refused:
            await assistant.decide(call)
        assert "stopped" in refused.value.message
        stopped = await assistant.services.stopping.stop(OWNER, call.task_id)
        with pytest.raises(NotUndecided) as refused:
            await assistant.decide(call)
        assert refused.value.details == {
            "state": ToolCallState.FAILED,
            "reason": ToolCallReason.STOPPED,
        }
        assert (stopped.state, stopped.reason) == (TaskState.DONE, TaskReason.STOPPED)
    assert ledger.begun == []


async def test_a_stop_and_an_approval_at_once_have_one_winner(still: Settings, ledger: Ledger) -> None:
    async with opened(still, providers=one_step_of("mail"), tools=asking(ledger)) as assistant:

        async def round_of(n: int) -> None:
            call = await pending(assistant)
            wishes = [assistant.decide(call), assistant.services.stopping.stop(OWNER, call.task_id)]
            await asyncio.gather(*(wishes if n % 2 else reversed(wishes)), return_exceptions=True)
            task = await assistant.ended(call.task_id)
            assert ledger.effects_of(call.id) <= 1
            if task.tool_calls[0].decision is None:
                assert ledger.effects_of(call.id) == 0
                assert task.tool_calls[0].reason is ToolCallReason.STOPPED

        await asyncio.gather(*(round_of(n) for n in range(20)))


async def test_a_call_that_needs_no_decision_takes_none(still: Settings, ledger: Ledger) -> None:
    """Case B082."""
    opens = gate()
    tools = LedgerTools(ledger, look=Scripted(before=opens))
    async with opened(still, providers=one_step_of("look"), tools=tools) as assistant:
        sent = await assistant.send()
        await ledger.has_begun("look")
        for decision in Decision:
            with pytest.raises(NotUndecided):
                await assistant.decide(await assistant.call(sent.task_id, "look"), decision)
        opens.set()
        await assistant.ended(sent.task_id)
    assert ledger.times("look") == 1


async def test_another_owners_call_is_no_call(still: Settings, ledger: Ledger) -> None:
    async with opened(still, providers=one_step_of("mail"), tools=asking(ledger)) as assistant:
        call = await pending(assistant)
        with pytest.raises(NotFound):
            await assistant.decide(call, owner="somebody else")
        with pytest.raises(InvalidInput):
            await assistant.decide(call, DENY, reason="x" * (MAX_REASON_CHARACTERS + 1))
        assert await assistant.call(call.task_id, "mail") == call


async def test_a_stored_decision_stands_whatever_the_policy_says_later(
    still: Settings, ledger: Ledger
) -> None:
    """Case B083: it asked when it was stored; then no call asks, then each."""
    calm, asks = LedgerTools(ledger, mail=Scripted()), asking(ledger)
    async with opened(still, providers=one_step_of("mail"), tools=asks) as first:
        waiting, approved = await pending(first), await pending(first)
    async with opened(still, providers=one_step_of("mail"), tools=calm) as second:
        await second.services.working.deliver(waiting.task_id)
        assert (await second.task(waiting.task_id)).state is TaskState.AWAITING_CONFIRM
        await second.decide(waiting, DENY)
        assert (await second.ended(waiting.task_id)).tool_calls[0].reason is ToolCallReason.DENIED
        second.services.deciding._queue = NoQueue()
        await second.decide(approved)
    async with opened(still, providers=one_step_of("mail"), tools=asks) as third:
        task = await third.ended(approved.task_id)
        assert [call.id for call in task.tool_calls] == [approved.id]
    assert ledger.effects == [("mail", approved.id)]
