"""Whole runs with calls: what the reader is shown, what is stored, and what the model is told."""

import pytest

from assistant.domain.frames import Cursor, Replace
from assistant.domain.models import CallAsked, CallTurn, Step
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.tool_call import ToolCallReason, ToolCallState
from assistant.domain.tools import ToolResult
from assistant.domain.transcript import Part, PartKind
from assistant.settings import Settings
from tests.contract.storage.statements import statements
from tests.support.eventually import eventually
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted, gate
from tests.support.local_provider import DONE, said, thought, turns
from tests.support.opened import OWNER, opened
from tests.support.tool_steps import asks, one_step_of, steps

TEXT, CALL = PartKind.TEXT, PartKind.TOOL_CALL


async def test_a_call_runs_once_and_the_model_is_told_its_result(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of(CallAsked("look", '{"b": 1, "a": "é"}'))
    async with opened(still, providers=provider, tools=LedgerTools(ledger, look=Scripted())) as assistant:
        sent = await assistant.send()
        task = await assistant.ended(sent.task_id)

    (call,) = task.tool_calls
    assert (task.state, task.reason) == (TaskState.DONE, TaskReason.COMPLETE)
    assert (call.state, call.result, call.arguments) == (
        ToolCallState.COMPLETED,
        "look did it",
        '{"a":"é","b":1}',
    )
    assert ledger.effects == [("look", call.id)]
    first, second = provider.requests
    assert (first.steps, [tool.name for tool in first.tools]) == ((), ["look"])
    told = CallTurn(call.id, "look", call.arguments, "look did it")
    assert (second.steps, second.kept) == ((Step("First. ", (told,)),), "")


async def test_text_and_calls_stand_in_their_order_and_every_reader_sees_the_same_parts(
    still: Settings, ledger: Ledger
) -> None:
    """Call, then text, then call, then text; live, by one read, and stored."""
    last = gate()
    provider = steps(
        (asks("a"),),
        (thought("Hm. "), said("One 😀. "), asks("b", "c")),
        (said("Two."), last, DONE),
    )
    tools = LedgerTools(ledger, a=Scripted(), b=Scripted(), c=Scripted())
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        reader = assistant.follow(sent.task_id)
        await reader.shows("Hm. One 😀. Two.")
        calls = (await assistant.task(sent.task_id)).tool_calls
        a, b, c = (call.id for call in calls)
        parts = (
            Part(CALL, 0, 0, a),
            Part(PartKind.REASONING, 0, 4),
            Part(TEXT, 4, 11),
            Part(CALL, 11, 11, b),
            Part(CALL, 11, 11, c),
            Part(TEXT, 11, 15),
        )
        assert [(call.name, call.step, call.offset) for call in calls] == [
            ("a", 1, 0),
            ("b", 2, 11),
            ("c", 2, 11),
        ]
        read = await assistant.services.following.read(OWNER, sent.task_id, Cursor())
        assert read.folded.transcript.parts == parts
        late = assistant.follow(sent.task_id, Cursor(3, 1, 12345))
        await late.shows("Hm. One 😀. Two.")
        (whole,) = [each for each in late.happenings if isinstance(each, Replace)]
        assert whole.transcript.parts == parts
        last.set()
        await reader.ended()
        await late.ended()
        message = (await assistant.messages(sent.session_id))[-1]
        assert (message.text, message.parts) == (reader.text, parts)
        assert late.text == reader.text
        assert not reader.taken_back
    assert [request.kept for request in provider.requests] == ["", "", ""]
    assert [[len(step.calls) for step in request.steps] for request in provider.requests] == [[], [1], [1, 2]]
    assert provider.requests[2].steps[1].text == "One 😀. "


async def test_calls_of_one_step_run_side_by_side_and_the_next_step_waits_for_all(
    still: Settings, ledger: Ledger
) -> None:
    open_a, open_b = gate(), gate()
    provider = one_step_of("a", "b")
    tools = LedgerTools(ledger, a=Scripted(before=open_a), b=Scripted(before=open_b))
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        await ledger.has_begun("a")
        await ledger.has_begun("b")
        open_b.set()

        async def b_is_settled() -> bool:
            return (await assistant.call(sent.task_id, "b")).settled

        await eventually(b_is_settled)
        assert (await assistant.call(sent.task_id, "a")).state is ToolCallState.EXECUTING
        assert len(provider.requests) == 1
        open_a.set()
        await assistant.ended(sent.task_id)
        assert len(provider.requests) == 2


async def test_a_reader_is_told_each_time_that_a_call_moves(still: Settings, ledger: Ledger) -> None:
    """The page shows progress by it, and a sync finds it by its version."""
    opens = gate()
    provider, tools = one_step_of("a"), LedgerTools(ledger, a=Scripted(before=opens))
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        reader = assistant.follow(sent.task_id)

        def saw(state: ToolCallState) -> bool:
            return any(call.state is state for task in reader.states for call in task.tool_calls)

        await eventually(lambda: saw(ToolCallState.EXECUTING))
        seen = (await assistant.services.restoring.snapshot(OWNER, sent.session_id)).session.version
        opens.set()
        await reader.ended()
        assert saw(ToolCallState.COMPLETED)
        changes = await assistant.services.restoring.changes(OWNER, sent.session_id, seen)
        assert [call.state for task in changes.tasks for call in task.tool_calls] == [ToolCallState.COMPLETED]


async def test_a_running_tool_costs_the_store_nothing(still: Settings, ledger: Ledger) -> None:
    """However often the session moves for other reasons, each move costs one look."""
    opens = gate()
    tools = LedgerTools(ledger, a=Scripted(before=opens))
    async with opened(still, providers=one_step_of("a"), tools=tools) as assistant:
        sent = await assistant.send()
        await ledger.has_begun("a")
        with statements() as asked:
            for _ in range(3):
                async with assistant.services.store.write() as unit:
                    await unit.sessions.bump(sent.session_id)
                await turns(2_000)
        assert len(asked) < 30
        opens.set()
        await assistant.ended(sent.task_id)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (CallAsked("look", '{"where": '), "no JSON"),
        (CallAsked("look", "{}"), "not what the tool wants"),
        (CallAsked("fly", "{}"), "no tool called fly"),
        (CallAsked("fly\0", "\ud800"), "no tool called fly"),
    ],
)
async def test_a_call_that_cannot_be_run_goes_back_to_the_model_as_failed(
    still: Settings, ledger: Ledger, asked: CallAsked, words: str
) -> None:
    provider = one_step_of(asked)
    tools = LedgerTools(ledger, look=Scripted(wants=("where",), needs_decision=True))
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        task = await assistant.ended(sent.task_id)

    (call,) = task.tool_calls
    assert (task.reason, call.state, call.reason) == (
        TaskReason.COMPLETE,
        ToolCallState.FAILED,
        ToolCallReason.ERROR,
    )
    assert words in provider.requests[1].steps[0].calls[0].result
    assert ledger.begun == []


async def test_a_tool_that_failed_is_told_and_the_answer_goes_on(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of("look")
    tools = LedgerTools(ledger, look=Scripted(ends=ToolResult.failed("Not\0 there.")))
    async with opened(still, providers=provider, tools=tools) as assistant:
        sent = await assistant.send()
        task = await assistant.ended(sent.task_id)

    assert (task.reason, task.tool_calls[0].reason) == (TaskReason.COMPLETE, ToolCallReason.ERROR)
    assert provider.requests[1].steps[0].calls[0].result == "Error: Not\ufffd there."


async def test_the_calls_of_earlier_answers_are_told_too(still: Settings, ledger: Ledger) -> None:
    provider = one_step_of("look")
    async with opened(still, providers=provider, tools=LedgerTools(ledger, look=Scripted())) as assistant:
        sent = await assistant.answered("One")
        await assistant.answered("Two", session_id=sent.session_id)
        first = (await assistant.task(sent.task_id)).tool_calls[0]

    told = CallTurn(first.id, "look", "{}", "look did it")
    for request in provider.requests[2:]:
        question, answer, _ = request.turns
        assert (question.text, answer.text, answer.steps) == ("One", "Then.", (Step("First. ", (told,)),))


async def test_an_answer_that_takes_too_many_steps_ends_clearly(still: Settings, ledger: Ledger) -> None:
    provider = steps((said("Again. "), asks("look")))
    changed = still.model_copy(update={"max_steps": 3})
    async with opened(changed, providers=provider, tools=LedgerTools(ledger, look=Scripted())) as assistant:
        sent = await assistant.send()
        task = await assistant.ended(sent.task_id)
        assert await assistant.stored(sent.task_id) == "Again. Again. Again. "

    assert task.error is not None
    assert (task.state, task.reason, task.error.code) == (TaskState.FAILED, TaskReason.ERROR, "step_budget")
    assert [call.state for call in task.tool_calls] == [
        ToolCallState.COMPLETED,
        ToolCallState.COMPLETED,
        ToolCallState.FAILED,
    ]
    assert (task.tool_calls[2].reason, ledger.times("look")) == (ToolCallReason.STOPPED, 2)


async def test_an_answer_that_takes_too_long_ends_clearly(still: Settings, ledger: Ledger) -> None:
    provider = steps((said("Once. "), asks("look")), (said("Never "), gate(), DONE))
    changed = still.model_copy(update={"max_answer_seconds": 0.2})
    async with opened(changed, providers=provider, tools=LedgerTools(ledger, look=Scripted())) as assistant:
        sent = await assistant.send()
        task = await assistant.ended(sent.task_id)
        assert (await assistant.stored(sent.task_id)).startswith("Once. ")

    assert task.error is not None
    assert (task.state, task.reason, task.error.code) == (TaskState.FAILED, TaskReason.TIMEOUT, "time_budget")
