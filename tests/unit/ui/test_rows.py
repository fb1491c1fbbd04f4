"""Rows say what a page cannot know by itself, and no more: they travel whole."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from assistant.domain.message import Message, Role
from assistant.domain.task import Task, TaskReason, TaskState
from assistant.domain.tool_call import MARKED_DONE, Decision, ToolCall, ToolCallReason, ToolCallState
from assistant.domain.tools import canonical_json
from assistant.ui.rows import (
    COMPLETE,
    CUT,
    MOST_ARGUMENT_CHARACTERS,
    MOST_RESULT_CHARACTERS,
    call_row,
    message_row,
    task_row,
    task_rows,
)

AT = datetime(2030, 1, 1, tzinfo=UTC)
QUESTION = Message("q", "s", None, Role.USER, "", (), 1, AT, version=1, client_id="key", siblings=("q",))
TASK = Task(
    id="t",
    session_id="s",
    owner_id="o",
    question_id="q",
    answer_id="a",
    state=TaskState.DONE,
    reason=TaskReason.COMPLETE,
    attempt=1,
    worker=None,
    offset=5,
    prefix=0,
    stop_requested_at=None,
    error=None,
    usage=None,
    created_at=AT,
    finished_at=AT,
    version=2,
)


def test_a_message_alone_names_no_siblings_and_a_question_no_task() -> None:
    at = "2030-01-01T00:00:00.000Z"
    assert message_row(QUESTION) == {"id": "q", "role": "user", "created_at": at, "client_id": "key"}
    answer = replace(QUESTION, id="a", role=Role.ASSISTANT, client_id=None, task_id="t", siblings=("a", "b"))
    assert message_row(answer) == {
        "id": "a",
        "role": "assistant",
        "created_at": at,
        "task_id": "t",
        "siblings": ["a", "b"],
    }


def test_a_task_that_ended_complete_is_left_to_the_row_of_its_answer() -> None:
    stopped = replace(TASK, id="t-2", answer_id="a-2", reason=TaskReason.STOPPED)
    assert list(task_rows([TASK, stopped])) == ["a-2"]


def test_the_page_takes_it_for_what_its_own_row_would_say() -> None:
    assert task_row(TASK).items() >= COMPLETE.items()


CALL = ToolCall(
    id="c",
    task_id="t",
    step=1,
    name="send_mail",
    arguments='{"to":"ann@example.org"}',
    arguments_hash="hash",
    offset=3,
    state=ToolCallState.REQUESTED,
    needs_decision=True,
    expires_at=AT,
    version=2,
)
LOST = replace(
    CALL, state=ToolCallState.FAILED, reason=ToolCallReason.LOST, decision=Decision.APPROVE, decided_at=AT
)
FAILED = replace(TASK, state=TaskState.FAILED, reason=TaskReason.INTERRUPTED)


def test_a_call_that_waits_says_what_is_decided_about_and_until_when() -> None:
    assert call_row(CALL) == {
        "id": "c",
        "name": "send_mail",
        "arguments": '{"to":"ann@example.org"}',
        "offset": 3,
        "state": "requested",
        "hash": "hash",
        "expires_at": "2030-01-01T00:00:00.000Z",
    }


def test_a_decided_call_says_what_was_decided_and_nothing_to_decide_with() -> None:
    """Case B072."""
    row = call_row(LOST)
    assert (row.get("decision"), row.get("decided_at")) == ("approve", "2030-01-01T00:00:00.000Z")
    assert (row.get("reason"), row.get("unknown")) == ("lost", True)
    assert not {"hash", "expires_at"} & row.keys()


def test_a_call_that_needs_no_decision_has_nothing_to_decide_with() -> None:
    """Case B082."""
    assert "hash" not in call_row(replace(CALL, needs_decision=False, expires_at=None))


def test_a_pure_read_that_was_lost_is_in_no_doubt() -> None:
    assert "unknown" not in call_row(replace(LOST, idempotent=True))


def test_a_call_that_a_person_marked_as_done_says_so() -> None:
    done = replace(LOST, state=ToolCallState.COMPLETED, reason=None, result=MARKED_DONE)
    assert call_row(done).get("marked")
    assert "marked" not in call_row(replace(done, result="sent"))


def test_a_long_result_is_cut_and_says_so() -> None:
    result = call_row(replace(LOST, result="x" * (MOST_RESULT_CHARACTERS + 1))).get("result", "")
    assert result == "x" * MOST_RESULT_CHARACTERS + CUT
    assert call_row(replace(LOST, result="short")).get("result") == "short"


def test_long_arguments_are_whole_while_somebody_decides_about_them_and_cut_after_that() -> None:
    text = "word " * 5_000
    written = canonical_json({"n": 12345678901234567890, "nested": [text], "text": text, "to": "ann"})
    assert call_row(replace(CALL, arguments=written))["arguments"] == written

    told = json.loads(call_row(replace(LOST, arguments=written))["arguments"])
    assert (told["n"], told["to"]) == (12345678901234567890, "ann")
    assert told["text"] == text[:MOST_ARGUMENT_CHARACTERS] + CUT
    assert len(told["nested"]) == MOST_ARGUMENT_CHARACTERS + len(CUT)


def test_what_are_no_arguments_is_cut_too() -> None:
    told = call_row(replace(LOST, arguments="not JSON " * 5_000))["arguments"]
    assert len(told) == MOST_ARGUMENT_CHARACTERS + len(CUT)


def test_a_complete_task_with_calls_is_told() -> None:
    rows = task_rows([replace(TASK, tool_calls=(CALL,))])
    assert [call["id"] for call in rows["a"].get("calls", [])] == ["c"]


def test_a_call_in_place_of_which_another_was_made_is_left_out() -> None:
    again = replace(CALL, id="c-2", retry_of="c")
    row = task_row(replace(TASK, tool_calls=(CALL, again)))
    assert [call["id"] for call in row.get("calls", [])] == ["c-2"]


def test_while_the_outcome_of_a_call_is_unknown_nothing_is_continued() -> None:
    assert not task_row(replace(FAILED, tool_calls=(LOST,)))["can_continue"]
    assert task_row(replace(FAILED, tool_calls=(replace(LOST, idempotent=True),)))["can_continue"]


def test_an_answer_of_calls_alone_can_go_on_and_so_can_one_whose_time_to_decide_is_over() -> None:
    expired = replace(FAILED, offset=0, reason=TaskReason.EXPIRED)
    assert task_row(replace(expired, tool_calls=(CALL,)))["can_continue"]
    assert not task_row(expired)["can_continue"]
