"""Tools that hang, break and lie: what is known is told to the model, what is not is left to a person."""

import asyncio
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from assistant.domain.models import CallAsked
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tool_call import ToolCallReason, ToolCallState
from assistant.domain.tools import BadCall, ToolResult
from assistant.settings import Settings
from assistant.tools.definitions import tool
from assistant.tools.registry import ToolRegistry
from tests.support.eventually import eventually
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted, gate
from tests.support.opened import opened
from tests.support.tool_steps import one_step_of

SHORT_SECONDS = 0.1


async def test_a_call_without_an_answer_in_time_is_unknown_and_the_session_is_usable_at_once(
    still: Settings, ledger: Ledger
) -> None:
    provider = one_step_of("mail")
    mail = Scripted(after=gate())
    changed = still.model_copy(update={"tool_timeout_seconds": SHORT_SECONDS})
    async with opened(changed, providers=provider, tools=LedgerTools(ledger, mail=mail)) as assistant:
        sent = await assistant.send()
        reader = assistant.follow(sent.task_id)
        await reader.ended()
        task = await assistant.task(sent.task_id)
        (call,) = task.tool_calls
        assert (call.state, call.reason) == (ToolCallState.FAILED, ToolCallReason.TIMEOUT)
        assert task.error is not None
        assert (task.state, task.reason, task.error.code) == (
            TaskState.FAILED,
            TaskReason.INTERRUPTED,
            "outcome_unknown",
        )
        assert reader.text == await assistant.stored(sent.task_id) == "First. "
        assert [part.call_id for part in (await assistant.messages(sent.session_id))[-1].parts] == [
            None,
            call.id,
        ]
        await assistant.send("Next", session_id=sent.session_id)
        await eventually(lambda: mail.cancelled > 0)
        assert ledger.effects_of(call.id) == 1
        assert len(provider.requests) == 1 or provider.requests[1].turns[1].steps


async def test_a_tool_that_does_not_heed_its_cancellation_holds_nothing_up(
    still: Settings, ledger: Ledger
) -> None:
    hangs = gate()
    mail = Scripted(before=hangs, stubborn=True, timeout_seconds=SHORT_SECONDS)
    async with opened(
        still, providers=one_step_of("mail"), tools=LedgerTools(ledger, mail=mail)
    ) as assistant:
        sent = await assistant.send()
        task = await assistant.ended(sent.task_id)
        assert task.tool_calls[0].reason is ToolCallReason.TIMEOUT
        await eventually(lambda: mail.cancelled == 1 and assistant.services.working.running == 0)
        hangs.set()
        await ledger.has("mail")
        assert await assistant.task(sent.task_id) == task


async def test_the_deadline_of_a_pure_read_is_told_to_the_model(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of("read")
    tools = LedgerTools(ledger, read=Scripted(idempotent=True, before=gate(), timeout_seconds=SHORT_SECONDS))
    async with opened(still, providers=provider, tools=tools) as assistant:
        task = await assistant.ended((await assistant.send()).task_id)

    assert task.reason is TaskReason.COMPLETE
    assert task.tool_calls[0].reason is ToolCallReason.TIMEOUT
    told = provider.requests[1].steps[0].calls[0].result
    assert told == "Error: There was no answer within 0.1 seconds."


@pytest.mark.parametrize(
    "ends", [ToolResult.unknown("The line was cut."), RuntimeError("broken"), asyncio.CancelledError()]
)
async def test_a_tool_that_cannot_say_what_it_did_leaves_it_to_a_person(
    still: Settings, ledger: Ledger, ends: ToolResult | BaseException
) -> None:
    provider = one_step_of("mail")
    tools = LedgerTools(ledger, mail=Scripted(ends=ends))
    async with opened(still, providers=provider, tools=tools) as assistant:
        task = await assistant.ended((await assistant.send()).task_id)

    (call,) = task.tool_calls
    assert (call.state, call.reason) == (ToolCallState.FAILED, ToolCallReason.LOST)
    assert task.error is not None
    assert (task.reason, task.error.code) == (TaskReason.INTERRUPTED, "outcome_unknown")
    assert len(provider.requests) == 1


@pytest.mark.parametrize("ends", [RuntimeError("broken"), asyncio.CancelledError()])
async def test_a_pure_read_that_breaks_is_told_to_the_model(
    still: Settings, ledger: Ledger, ends: BaseException
) -> None:
    provider = one_step_of("read")
    tools = LedgerTools(ledger, read=Scripted(idempotent=True, ends=ends))
    async with opened(still, providers=provider, tools=tools) as assistant:
        task = await assistant.ended((await assistant.send()).task_id)

    assert task.reason is TaskReason.COMPLETE
    assert provider.requests[1].steps[0].calls[0].result == "Error: The tool broke off."


async def test_calls_beside_an_unknown_one_run_to_their_end_and_those_undecided_never_begin(
    still: Settings, ledger: Ledger
) -> None:
    opens = gate()
    tools = LedgerTools(
        ledger,
        mail=Scripted(ends=ToolResult.unknown("Who knows.")),
        slow=Scripted(before=opens),
        pay=Scripted(needs_decision=True),
    )
    async with opened(still, providers=one_step_of("mail", "slow", "pay"), tools=tools) as assistant:
        sent = await assistant.send()

        async def mail_is_settled() -> bool:
            return (await assistant.call(sent.task_id, "mail")).settled

        await eventually(mail_is_settled)
        assert not (await assistant.task(sent.task_id)).closed
        opens.set()
        task = await assistant.ended(sent.task_id)

    mail, slow, pay = task.tool_calls
    assert mail.reason is ToolCallReason.LOST
    assert slow.state is ToolCallState.COMPLETED
    assert pay.reason is ToolCallReason.STOPPED
    assert ledger.times("pay") == 0


async def test_a_tool_that_blocks_runs_in_a_thread_and_holds_nobody_up(still: Settings) -> None:
    begun, opens, where = threading.Event(), threading.Event(), []

    @tool(idempotent=True, needs_decision=False)
    def block() -> str:
        """Block."""
        where.append(threading.current_thread())
        begun.set()
        opens.wait(10)
        return "unblocked"

    async with opened(still, providers=one_step_of("block"), tools=ToolRegistry([block])) as assistant:
        sent = await assistant.send()
        await eventually(begun.is_set)
        assert (await assistant.call(sent.task_id, "block")).state is ToolCallState.EXECUTING
        opens.set()
        task = await assistant.ended(sent.task_id)

    assert task.tool_calls[0].result == "unblocked"
    assert where[0] is not threading.main_thread()


class Changing(LedgerTools):
    """Tools that may come to read other arguments out of the same text."""

    more: Mapping[str, Any] = MappingProxyType({})

    def check(self, name: str, arguments_json: str) -> dict[str, Any] | BadCall:
        checked = super().check(name, arguments_json)
        return checked if isinstance(checked, BadCall) else {**checked, **self.more}


async def test_a_tool_that_changed_since_is_not_given_arguments_that_nobody_saw(
    still: Settings, ledger: Ledger
) -> None:
    """Case B083: what was approved runs as it was shown, or not at all."""
    tools = Changing(ledger, pay=Scripted(needs_decision=True))
    provider = one_step_of(CallAsked("pay", '{"cents": 1}'))
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        await assistant.parked(sent.task_id)
        tools.more = {"cents": 100}
        await assistant.decide(await assistant.call(sent.task_id, "pay"))
        task = await assistant.ended(sent.task_id)

    assert (task.reason, task.tool_calls[0].reason) == (TaskReason.COMPLETE, ToolCallReason.ERROR)
    assert ledger.begun == []
