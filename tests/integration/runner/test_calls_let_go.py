"""The process goes down, the store is away, the user stops: each while calls are under way."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.domain.errors import StoreUnavailable
from assistant.domain.store_ports import Unit
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tool_call import ToolCallReason, ToolCallState
from assistant.runner import calling, patience
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted, gate
from tests.support.local_provider import DONE, said, turns
from tests.support.opened import OWNER, Assistant, NoQueue, opened
from tests.support.tool_steps import asks, one_step_of, steps


async def test_a_process_that_goes_down_waits_a_moment_for_what_runs(still: Settings, ledger: Ledger) -> None:
    provider, opens = one_step_of("mail"), gate()
    tools = LedgerTools(ledger, mail=Scripted(after=opens))
    async with opened(still, providers=provider, tools=tools) as first:
        sent = await first.send()
        await ledger.has("mail")
        going = asyncio.create_task(first.services.hand_over(0))
        await turns(50)
        assert not going.done()
        opens.set()
        await going
        task = await first.task(sent.task_id)
        assert (task.state, task.worker) == (TaskState.TOOL_CALLING, None)
        assert task.tool_calls[0].state is ToolCallState.COMPLETED
    async with opened(still, providers=provider, tools=tools) as second:
        assert (await second.ended(sent.task_id)).reason is TaskReason.COMPLETE
        assert await second.stored(sent.task_id) == "First. Then."
    assert ledger.times("mail") == 1


async def test_what_does_not_end_in_that_moment_is_unknown_to_the_next_process(
    still: Settings, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "GOING_DOWN_SECONDS", 0.02)
    provider = one_step_of("mail", "look")
    tools = LedgerTools(ledger, mail=Scripted(after=gate()), look=Scripted())
    async with opened(still, providers=provider, tools=tools) as first:
        sent = await first.send()
        await ledger.has("mail")
        await ledger.has("look")
        await first.services.hand_over(0)
        assert (await first.task(sent.task_id)).worker is None
    async with opened(still, providers=provider, tools=tools) as second:
        task = await second.ended(sent.task_id)
        assert (task.reason, task.tool_calls[0].reason) == (TaskReason.INTERRUPTED, ToolCallReason.LOST)
        assert task.tool_calls[1].state is ToolCallState.COMPLETED
    assert (ledger.times("mail"), ledger.times("look")) == (1, 1)


async def test_a_tool_runs_on_while_the_store_is_away_and_its_result_is_stored_when_it_is_back(
    still: Settings, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "RETRY_SECONDS", 0.01)
    provider, opens = one_step_of("mail"), gate()
    mail = Scripted(before=opens)
    async with opened(still, providers=provider, tools=LedgerTools(ledger, mail=mail)) as assistant:
        sent = await assistant.send()
        await ledger.has_begun("mail")
        async with assistant.store_away() as refused:
            opens.set()
            await eventually(lambda: len(refused) > 2)
            assert ledger.times("mail") == 1
        task = await assistant.ended(sent.task_id)

    assert (task.reason, task.tool_calls[0].result, mail.cancelled) == (TaskReason.COMPLETE, "mail did it", 0)
    assert len(provider.requests) == 2


async def test_a_store_that_is_away_before_the_calls_begin_costs_nothing_but_time(
    still: Settings, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "RETRY_SECONDS", 0.01)
    async with opened(
        still, providers=one_step_of("mail"), tools=LedgerTools(ledger, mail=Scripted())
    ) as assistant:
        honest, refused = assistant.services.hub.session, []

        @asynccontextmanager
        async def away(session_id: str) -> AsyncGenerator[Any]:
            if len(refused) < 3:
                refused.append(session_id)
                raise StoreUnavailable()
            async with honest(session_id) as versions:
                yield versions

        cast(Any, assistant.services.hub).session = away
        sent = await assistant.send()
        assert (await assistant.ended(sent.task_id)).reason is TaskReason.COMPLETE
        assert len(refused) == 3
    assert ledger.times("mail") == 1


@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_stop_while_a_call_runs_ends_the_answer_and_says_that_nobody_knows(
    still: Settings, ledger: Ledger, stubborn: bool
) -> None:
    """Case B091: stop during a tool."""
    opens = gate()
    mail = Scripted(after=opens, stubborn=stubborn)
    tools = LedgerTools(ledger, mail=mail, pay=Scripted(needs_decision=True))
    async with opened(still, providers=one_step_of("mail", "pay"), tools=tools) as assistant:
        sent = await assistant.send()
        await ledger.has("mail")
        stopped = await assistant.services.stopping.stop(OWNER, sent.task_id)
        mail_call, pay_call = stopped.tool_calls
        assert (stopped.reason, mail_call.reason) == (TaskReason.STOPPED, ToolCallReason.LOST)
        assert pay_call.reason is ToolCallReason.STOPPED
        await eventually(lambda: mail.cancelled > 0)
        await eventually(lambda: assistant.services.working.running == 0)
        opens.set()
        await turns(200)
        assert await assistant.task(sent.task_id) == stopped
        assert await assistant.stored(sent.task_id) == "First. "
        await assistant.send("Next", session_id=sent.session_id)
    assert ledger.effects_of(mail_call.id) == 1


async def test_a_stop_between_two_steps_keeps_text_and_results(still: Settings, ledger: Ledger) -> None:
    provider = steps((said("One. "), asks("look")), (said("Two"), gate(), DONE))
    async with opened(still, providers=provider, tools=LedgerTools(ledger, look=Scripted())) as assistant:
        sent = await assistant.send()
        await assistant.follow(sent.task_id).shows("One. Two")
        stopped = await assistant.services.stopping.stop(OWNER, sent.task_id)
        (call,) = stopped.tool_calls
        assert (stopped.reason, call.state) == (TaskReason.STOPPED, ToolCallState.COMPLETED)
        message = (await assistant.messages(sent.session_id))[-1]
        assert message.text == "One. Two"
        assert [part.call_id for part in message.parts] == [None, call.id, None]


async def test_a_stop_between_decision_and_call_leaves_it_undone(still: Settings, ledger: Ledger) -> None:
    tools = LedgerTools(ledger, mail=Scripted(needs_decision=True))
    async with opened(still, providers=one_step_of("mail"), tools=tools) as assistant:
        sent = await assistant.send()
        (call,) = (await assistant.parked(sent.task_id)).tool_calls
        assistant.services.deciding._queue = NoQueue()
        await assistant.decide(call)
        stopped = await assistant.services.stopping.stop(OWNER, sent.task_id)
        await assistant.services.reconciling.run_pass()
        assert await assistant.task(sent.task_id) == stopped
        assert stopped.tool_calls[0].reason is ToolCallReason.STOPPED
        assert stopped.tool_calls[0].decision is not None
    assert ledger.begun == []


async def test_connections_have_no_influence_on_calls(still: Settings, ledger: Ledger) -> None:
    """Case B067: three readers from the start, three in between, one run."""
    opens = gate()
    provider = one_step_of("mail")
    tools = LedgerTools(ledger, mail=Scripted(before=opens))
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        readers = [assistant.follow(sent.task_id) for _ in range(3)]
        await ledger.has_begun("mail")
        readers += [assistant.follow(sent.task_id, readers[0].cursor, readers[0].shown) for _ in range(3)]
        await _restored(assistant, sent.session_id)
        opens.set()
        for reader in readers:
            await reader.ended()
        assert {reader.text for reader in readers} == {"First. Then."}
    assert (ledger.times("mail"), len(provider.requests)) == (1, 2)


async def _restored(assistant: Assistant, session_id: str) -> None:
    """As ten reloads do."""
    for _ in range(10):
        await assistant.services.restoring.snapshot(OWNER, session_id)


async def test_a_call_that_a_process_did_not_come_to_is_no_unknown_one(
    still: Settings, ledger: Ledger
) -> None:
    """It goes down between the commit of a start and the call of the tool."""
    provider, started = one_step_of("mail"), gate()
    tools = LedgerTools(ledger, mail=Scripted())
    async with opened(still, providers=provider, tools=tools) as first:
        store = first.services.store
        written = 0

        @asynccontextmanager
        async def slow_to_reply() -> AsyncGenerator[Unit]:
            nonlocal written
            async with store.write() as unit:
                yield unit
            written += 1
            if written == 2:
                started.set()
                await asyncio.Event().wait()

        held = cast(Any, first.services.working)._driving._calling
        held._store = SimpleNamespace(read=store.read, write=slow_to_reply)
        sent = await first.send()
        await started.wait()
        await first.services.hand_over(0)
        (call,) = (await first.task(sent.task_id)).tool_calls
        assert (call.state, call.reason) == (ToolCallState.FAILED, ToolCallReason.ERROR)
    async with opened(still, providers=provider, tools=tools) as second:
        assert (await second.ended(sent.task_id)).reason is TaskReason.COMPLETE
    assert "not carried out" in provider.requests[1].steps[0].calls[0].result
    assert ledger.begun == []


async def test_a_process_goes_down_though_the_store_is_away_and_a_call_runs(
    still: Settings, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "GOING_DOWN_SECONDS", 0.05)
    tools = LedgerTools(ledger, mail=Scripted(before=gate()))
    async with opened(still, providers=one_step_of("mail"), tools=tools) as assistant:
        sent = await assistant.send()
        await ledger.has_begun("mail")
        async with assistant.store_away():
            await asyncio.wait_for(assistant.services.working.hand_over(0), 5)
        assert not (await assistant.task(sent.task_id)).closed
