"""The full product of states and events of every machine, against what was written down by hand."""

from enum import StrEnum
from types import ModuleType
from typing import Any

import pytest

from assistant.domain import session, task, title, tool_call
from assistant.domain.machine import IllegalMove, Machine
from assistant.domain.session import SESSION
from assistant.domain.task import CLAIMABLE, TASK, TaskReason, TaskState
from assistant.domain.title import TITLE
from assistant.domain.tool_call import OUTCOME_UNKNOWN, TOOL_CALL, ToolCallEvent, ToolCallReason

EXPECTED_TASK = """
                  pending       streaming     tool_calling      awaiting_confirm  done  failed
claim             streaming     streaming     tool_calling      -                 -     -
claim_calls       tool_calling  -             -                 -                 -     -
calls_stored      -             tool_calling  -                 -                 -     -
results           -             -             streaming         -                 -     -
park              -             -             awaiting_confirm  -                 -     -
decided           -             -             -                 tool_calling      -     -
finish            -             done          -                 -                 -     -
fail              failed        failed        failed            failed            -     -
expire            -             -             -                 failed            -     -
stop              done          done          done              done              -     -
"""

EXPECTED_TOOL_CALL = """
                  requested     executing     completed  failed
start             executing     -             -          -
complete          -             completed     -          -
fail              -             failed        -          -
refuse            failed        -             -          -
"""

EXPECTED_SESSION = """
                  active        archived      deleted
archive           archived      -             -
restore           -             active        -
delete            deleted       deleted       -
undo              -             -             active
"""

EXPECTED_TITLE = """
                  first_line    asked         settled
ask               asked         -             -
entitle           -             settled       -
rename            settled       settled       settled
"""

MACHINES: list[Any] = [
    pytest.param(TASK, EXPECTED_TASK, task, id="task"),
    pytest.param(TOOL_CALL, EXPECTED_TOOL_CALL, tool_call, id="tool_call"),
    pytest.param(SESSION, EXPECTED_SESSION, session, id="session"),
    pytest.param(TITLE, EXPECTED_TITLE, title, id="title"),
]


def _written_out(grid: str) -> dict[tuple[str, str], str | None]:
    header, *rows = (line.split() for line in grid.strip().splitlines())
    return {
        (state, event): None if after == "-" else after
        for event, *cells in rows
        for state, after in zip(header, cells, strict=True)
    }


def _members(machine: Machine[Any, Any]) -> tuple[list[StrEnum], list[StrEnum]]:
    state, event = next(iter(machine.arrows))
    return list(type(state)), list(type(event))


@pytest.mark.parametrize(("machine", "grid", "module"), MACHINES)
def test_every_state_takes_every_event_as_written_down(
    machine: Machine[Any, Any], grid: str, module: ModuleType
) -> None:
    states, events = _members(machine)
    expected = _written_out(grid)
    assert set(expected) == {(state, event) for state in states for event in events}

    for state in states:
        for event in events:
            after = expected[state, event]
            if after is not None:
                assert machine.next(state, event) == after
                continue
            with pytest.raises(IllegalMove):
                machine.next(state, event)


@pytest.mark.parametrize(("machine", "grid", "module"), MACHINES)
def test_a_terminal_state_is_one_that_nothing_leaves(
    machine: Machine[Any, Any], grid: str, module: ModuleType
) -> None:
    states, _ = _members(machine)
    left = {state for state, _ in machine.arrows}

    assert machine.terminal == set(states) - left


@pytest.mark.parametrize(("machine", "grid", "module"), MACHINES)
def test_the_drawing_names_every_state_and_every_event(
    machine: Machine[Any, Any], grid: str, module: ModuleType
) -> None:
    states, events = _members(machine)
    drawing = module.__doc__ or ""

    missing = [member for member in (*states, *events) if member.value not in drawing]
    assert missing == []


@pytest.mark.parametrize(("machine", "grid", "module"), MACHINES)
def test_the_sources_of_an_event_are_the_states_that_take_it(
    machine: Machine[Any, Any], grid: str, module: ModuleType
) -> None:
    states, events = _members(machine)
    expected = _written_out(grid)

    for event in events:
        assert set(machine.sources(event)) == {state for state in states if expected[state, event]}


def test_the_target_of_an_event_is_the_one_state_it_leads_to() -> None:
    assert TASK.target(task.TaskEvent.PARK) is TaskState.AWAITING_CONFIRM
    with pytest.raises(IllegalMove):
        TASK.target(task.TaskEvent.CLAIM)


def test_each_terminal_task_state_has_reasons_of_its_own_and_no_other_state_has_any() -> None:
    assert dict(task.REASONS) == {
        TaskState.DONE: {TaskReason.COMPLETE, TaskReason.LENGTH, TaskReason.STOPPED},
        TaskState.FAILED: {
            TaskReason.ERROR,
            TaskReason.INTERRUPTED,
            TaskReason.TIMEOUT,
            TaskReason.EXPIRED,
        },
    }
    assert set(task.REASONS) == TASK.terminal
    assert sorted(reason for reasons in task.REASONS.values() for reason in reasons) == sorted(TaskReason)


def test_only_what_an_attempt_can_go_on_with_is_claimable() -> None:
    claims = TASK.sources(task.TaskEvent.CLAIM)

    assert set(claims) == CLAIMABLE == {TaskState.PENDING, TaskState.STREAMING, TaskState.TOOL_CALLING}


def test_each_event_that_fails_a_tool_call_has_its_reasons() -> None:
    assert dict(tool_call.REASONS) == {
        ToolCallEvent.FAIL: {ToolCallReason.ERROR, ToolCallReason.TIMEOUT, ToolCallReason.LOST},
        ToolCallEvent.REFUSE: {
            ToolCallReason.ERROR,
            ToolCallReason.DENIED,
            ToolCallReason.EXPIRED,
            ToolCallReason.STOPPED,
        },
    }
    assert set().union(*tool_call.REASONS.values()) == set(ToolCallReason)


def test_an_outcome_is_unknown_only_of_a_call_that_had_begun() -> None:
    assert set(OUTCOME_UNKNOWN) == {ToolCallReason.TIMEOUT, ToolCallReason.LOST}
    assert OUTCOME_UNKNOWN.issubset(tool_call.REASONS[ToolCallEvent.FAIL])
    assert OUTCOME_UNKNOWN.isdisjoint(tool_call.REASONS[ToolCallEvent.REFUSE])
