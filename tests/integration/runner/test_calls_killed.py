"""A process is killed around a call: its effect comes once or never, and nobody pretends to know which."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.domain.frames import Cursor, Replace
from assistant.domain.task import Task, TaskReason, TaskState
from assistant.domain.tool_call import ToolCall, ToolCallReason, ToolCallState
from assistant.runner.tool_use import MOST_LOST
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted, gate
from tests.support.local_provider import DONE, said
from tests.support.opened import OWNER, Assistant, as_killed, opened
from tests.support.other_process import OtherProcess
from tests.support.tool_steps import asks, one_step_of, steps


async def never(*_: object) -> None:
    """A step that does not begin before the kill."""
    await asyncio.Event().wait()


def is_unknown(task: Task, call: ToolCall) -> bool:
    return (task.state, task.reason, task.error and task.error.code, call.state, call.reason) == (
        TaskState.FAILED,
        TaskReason.INTERRUPTED,
        "outcome_unknown",
        ToolCallState.FAILED,
        ToolCallReason.LOST,
    )


async def in_state(assistant: Assistant, task_id: str, holds: Callable[[Task], bool]) -> None:
    async def there() -> bool:
        return holds(await assistant.task(task_id))

    await eventually(there)


@pytest.mark.parametrize("held", ["run", "_leave"])
async def test_killed_before_a_call_begins_or_after_its_result_the_answer_goes_on_by_itself(
    still: Settings, ledger: Ledger, held: str
) -> None:
    provider = one_step_of("mail")
    tools = LedgerTools(ledger, mail=Scripted())
    async with opened(still, providers=provider, tools=tools) as quiet:
        sent = await quiet.send(delivered=False)
        lost = OtherProcess(quiet, provider, tools)
        setattr(cast(Any, lost)._driving._calling, held, never)
        reader = quiet.follow(sent.task_id)
        await lost.drive(sent.task_id)
        settled = held == "_leave"
        await in_state(
            quiet, sent.task_id, lambda task: bool(task.tool_calls) and task.tool_calls[0].settled == settled
        )
        await lost.kill()
        await quiet.services.reconciling.run_pass()
        await reader.ended()
        task = await quiet.task(sent.task_id)
        assert (task.reason, task.attempt) == (TaskReason.COMPLETE, 2)
        assert reader.text == await quiet.stored(sent.task_id) == "First. Then."
        assert not reader.taken_back
        message = (await quiet.messages(sent.session_id))[-1]
        assert [part.call_id for part in message.parts] == [None, task.tool_calls[0].id, None]
    assert ledger.effects == [("mail", task.tool_calls[0].id)]
    assert len(provider.requests) == 2


@pytest.mark.parametrize(("before", "effects"), [(True, 0), (False, 1)])
async def test_killed_while_a_call_runs_its_outcome_is_unknown_and_it_is_not_run_again(
    still: Settings, ledger: Ledger, before: bool, effects: int
) -> None:
    """Case B061: the question is not asked again either."""
    provider = one_step_of("mail")
    hangs = gate()
    mail = Scripted(before=hangs if before else None, after=hangs)
    tools = LedgerTools(ledger, mail=mail)
    async with opened(still, providers=provider, tools=tools) as quiet:
        sent = await quiet.send(delivered=False)
        lost = OtherProcess(quiet, provider, tools)
        reader = quiet.follow(sent.task_id)
        await lost.drive(sent.task_id)
        await ledger.has_begun("mail")
        await lost.kill()
        for _ in range(2):
            await quiet.services.reconciling.run_pass()
        await reader.ended()
        task = await quiet.task(sent.task_id)
        assert is_unknown(task, task.tool_calls[0])
        assert reader.text == await quiet.stored(sent.task_id) == "First. "
        await quiet.services.working.deliver(sent.task_id)
        assert await quiet.task(sent.task_id) == task
    assert ledger.effects_of(task.tool_calls[0].id) == effects
    assert (len(ledger.begun), len(provider.requests)) == (1, 1)


async def test_of_a_batch_that_was_killed_in_between_what_is_known_is_kept(
    still: Settings, ledger: Ledger
) -> None:
    """Case B062."""
    provider = one_step_of("one", "two", "three")
    tools = LedgerTools(ledger, one=Scripted(), two=Scripted(), three=Scripted(after=gate()))
    async with opened(still, providers=provider, tools=tools) as quiet:
        sent = await quiet.send(delivered=False)
        lost = OtherProcess(quiet, provider, tools)
        await lost.drive(sent.task_id)
        await ledger.has("three")
        await in_state(quiet, sent.task_id, lambda task: sum(call.settled for call in task.tool_calls) == 2)
        await lost.kill()
        await quiet.services.reconciling.run_pass()
        task = await quiet.ended(sent.task_id)

    one, two, three = task.tool_calls
    assert (one.result, two.result) == ("one did it", "two did it")
    assert is_unknown(task, three)
    assert ledger.at_most_once()
    assert [ledger.times(name) for name in ("one", "two", "three")] == [1, 1, 1]


async def test_the_late_result_of_a_zombie_is_refused(still: Settings, ledger: Ledger) -> None:
    """Case B066: one call id, one result."""
    provider = one_step_of("mail")
    opens = gate()
    tools = LedgerTools(ledger, mail=Scripted(after=opens))
    async with opened(still, providers=provider, tools=tools) as quiet:
        sent = await quiet.send(delivered=False)
        zombie = OtherProcess(quiet, provider, tools)
        await zombie.drive(sent.task_id)
        await ledger.has("mail")
        await zombie.seem_lost()
        await quiet.services.reconciling.run_pass()
        task = await quiet.ended(sent.task_id)
        opens.set()
        await zombie.ended()
        assert await quiet.task(sent.task_id) == task
        assert is_unknown(task, task.tool_calls[0])
        assert await quiet.stored(sent.task_id) == "First. "
    assert len(provider.requests) == 1


async def test_the_calls_that_a_zombie_asks_for_are_never_stored(still: Settings, ledger: Ledger) -> None:
    """It hears the end of its model step when another attempt has long made its own."""
    opens = gate()
    late = steps((opens, asks("mail")), (said("Late."), DONE))
    tools = LedgerTools(ledger, mail=Scripted())
    async with opened(still, providers=one_step_of("mail"), tools=tools) as quiet:
        sent = await quiet.send(delivered=False)
        zombie = OtherProcess(quiet, late, tools)
        await zombie.drive(sent.task_id)
        await eventually(lambda: len(late.requests) == 1)
        await zombie.seem_lost()
        await quiet.services.reconciling.run_pass()
        task = await quiet.ended(sent.task_id)
        opens.set()
        await zombie.ended()
        assert await quiet.task(sent.task_id) == task
        assert await quiet.stored(sent.task_id) == "First. Then."
    assert ledger.effects == [("mail", task.tool_calls[0].id)]


async def test_a_pure_read_is_repeated_under_a_new_id_until_it_was_lost_three_times(
    still: Settings, ledger: Ledger
) -> None:
    provider = one_step_of("read")
    tools = LedgerTools(ledger, read=Scripted(idempotent=True, before=gate()))
    async with opened(still, runner=False, providers=provider, tools=tools) as quiet:
        sent = await quiet.send()
        for n in range(1, MOST_LOST + 1):
            lost = OtherProcess(quiet, provider, tools, worker_id=f"worker {n}")
            await lost.drive(sent.task_id)
            await ledger.has_begun("read", n)
            await lost.kill()
            await quiet.services.reconciling.run_pass()
        last = OtherProcess(quiet, provider, tools)
        await last.drive(sent.task_id)
        task = await quiet.ended(sent.task_id)
        message = (await quiet.messages(sent.session_id))[-1]

    calls = task.tool_calls
    assert task.reason is TaskReason.COMPLETE
    assert [call.reason for call in calls] == [ToolCallReason.LOST] * MOST_LOST
    assert [call.retry_of for call in calls] == [None, calls[0].id, calls[1].id]
    assert len(ledger.begun) == MOST_LOST
    told = provider.requests[1].steps[0].calls
    assert [(call.id, call.result) for call in told] == [
        (calls[-1].id, "Error: The server stopped while it ran.")
    ]
    standing = [part.call_id for part in message.parts if part.call_id]
    assert standing == [call.id for call in calls]


async def test_a_pure_read_that_was_lost_once_is_told_once(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of("read")
    read = Scripted(idempotent=True, before=gate())
    tools = LedgerTools(ledger, read=read)
    async with opened(still, providers=provider, tools=tools) as quiet:
        sent = await quiet.send(delivered=False)
        lost = OtherProcess(quiet, provider, tools)
        await lost.drive(sent.task_id)
        await ledger.has_begun("read")
        await lost.kill()
        read.before = None
        await quiet.services.reconciling.run_pass()
        task = await quiet.ended(sent.task_id)
        await quiet.answered("Next", session_id=sent.session_id)

    assert task.reason is TaskReason.COMPLETE
    assert [len(step.calls) for step in provider.requests[1].steps] == [1]
    assert [len(step.calls) for step in provider.requests[2].turns[1].steps] == [1]


async def test_a_parked_card_survives_a_kill_of_the_one_process_and_decides_after_it(
    still: Settings, ledger: Ledger, tmp_path: Path
) -> None:
    """Cases B071, B080: and another kill between the decision and the call."""
    provider = one_step_of("mail")
    tools = LedgerTools(ledger, mail=Scripted(needs_decision=True))
    async with opened(still, providers=provider, tools=tools) as first:
        sent = await first.send()
        (call,) = (await first.parked(sent.task_id)).tool_calls
        once = as_killed(still, tmp_path / "once")
    async with opened(once, runner=False, providers=provider, tools=tools) as second:
        (card,) = (await second.services.restoring.snapshot(OWNER, sent.session_id)).tasks[0].tool_calls
        assert card == call
        await second.decide(card)
        twice = as_killed(once, tmp_path / "twice")
    async with opened(twice, providers=provider, tools=tools) as third:
        task = await third.ended(sent.task_id)
        assert task.reason is TaskReason.COMPLETE
        assert await third.stored(sent.task_id) == "First. Then."
    assert ledger.effects == [("mail", call.id)]


async def test_the_one_process_killed_in_a_call_says_at_its_next_start_that_nobody_knows(
    still: Settings, ledger: Ledger, tmp_path: Path
) -> None:
    provider = one_step_of("mail")
    opens = gate()
    tools = LedgerTools(ledger, mail=Scripted(after=opens))
    async with opened(still, providers=provider, tools=tools) as first:
        sent = await first.send()
        await ledger.has("mail")
        killed = as_killed(still, tmp_path / "killed")
        opens.set()
    async with opened(killed, providers=provider, tools=tools) as second:
        task = await second.task(sent.task_id)
        assert is_unknown(task, task.tool_calls[0])
        await second.send("Next", session_id=sent.session_id)
    assert ledger.effects_of(task.tool_calls[0].id) == 1


async def test_killed_before_the_log_knew_of_its_calls_every_reader_is_told_where_they_stand(
    still: Settings, ledger: Ledger
) -> None:
    """Also one that is given the whole by a hub which only ever read the log."""
    hangs = gate()
    provider = steps((said("First. "), asks("mail")), (said("Then."), hangs, DONE))
    tools = LedgerTools(ledger, mail=Scripted())
    async with opened(still, providers=provider, tools=tools) as quiet:
        sent = await quiet.send(delivered=False)
        watching = quiet.follow(sent.task_id)
        await watching.told()
        lost = OtherProcess(quiet, provider, tools, marks_calls=False)
        cast(Any, lost)._driving._calling.run = never
        await lost.drive(sent.task_id)
        await in_state(quiet, sent.task_id, lambda task: bool(task.tool_calls))
        await lost.kill()
        await quiet.services.reconciling.run_pass()
        await watching.shows("First. Then.")
        late = quiet.follow(sent.task_id, Cursor(3, 1, 12345))
        await late.shows("First. Then.")
        (whole,) = [each for each in late.happenings if isinstance(each, Replace)]
        assert [part.call_id for part in whole.transcript.parts] == [
            None,
            (await quiet.call(sent.task_id, "mail")).id,
            None,
        ]
        assert not watching.taken_back
        hangs.set()
        await watching.ended()
