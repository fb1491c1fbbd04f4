"""The shapes: their names are promised, times have one form, bodies are taken strictly."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from assistant.api import wire
from assistant.api.wire_requests import Arrangement, Draft

PROMISED: dict[type[BaseModel], str] = {
    wire.Task: "id session_id question_id answer_id state reason attempt offset error created_at finished_at"
    " tool_calls",
    wire.ToolCall: "id name arguments arguments_hash offset state reason result needs_decision decision"
    " expires_at retry_of",
    wire.Message: "id parent_id siblings role text parts position created_at task_id attachments version",
    wire.Session: "id title model parameters version",
    wire.Snapshot: "session messages tasks has_older queued",
    wire.Changes: "version messages tasks session removed queued",
    wire.Sent: "session_id message_id answer_id task_id",
    wire.Waiting: "session_id message_id answer_id task_id queued",
    wire.Queued: "key text position created_at paused",
    wire.NewAnswer: "task_id answer_id",
    wire.Deleted: "session_id undo_until",
    wire.KeyedRequest: "kind state result",
    wire.Sessions: "sessions next",
    wire.CatchUp: "text offset next attempt state reason closed parts",
    wire.Failure: "code message",
}


@pytest.mark.parametrize("shape", PROMISED, ids=lambda shape: shape.__name__)
def test_no_field_that_was_promised_is_missing(shape: type[BaseModel]) -> None:
    """DESIGN 11, Shapes."""
    assert set(PROMISED[shape].split()) <= set(shape.model_fields)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2025, 5, 5, 12, tzinfo=UTC), "2025-05-05T12:00:00.000Z"),
        (datetime(2025, 5, 5, 12, 0, 0, 123_999, tzinfo=UTC), "2025-05-05T12:00:00.123Z"),
        (datetime(2025, 5, 5, 1, tzinfo=timezone(timedelta(hours=2))), "2025-05-04T23:00:00.000Z"),
    ],
)
def test_a_time_is_utc_with_milliseconds_and_a_z(moment: datetime, text: str) -> None:
    assert wire.iso(moment) == text


def test_only_a_tool_call_part_has_a_call_id() -> None:
    text = wire.Part(kind=wire.PartKind.TEXT, start=0, end=1)
    call = wire.Part(kind=wire.PartKind.TOOL_CALL, start=1, end=1, call_id="c")

    assert text.model_dump(mode="json") == {"kind": "text", "start": 0, "end": 1}
    assert call.model_dump(mode="json")["call_id"] == "c"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": None},
        {"text": 1},
        {"text": "a", "more": 1},
        {"text": "a", "session_id": 1},
        {"text": "a", "model": ""},
        {"text": "a", "model": "m" * 201},
        {"text": "a", "attachments": ["x"]},
        {"text": "a", "parameters": []},
        {"text": "a", "parameters": {"heat": 1}},
        {"text": "a", "parameters": {"temperature": 2.1}},
        {"text": "a", "parameters": {"temperature": "1"}},
        {"text": "a", "parameters": {"temperature": True}},
        {"text": "a", "parameters": {"temperature": float("nan")}},
        {"text": "a", "parameters": {"top_p": -0.1}},
        {"text": "a", "parameters": {"max_tokens": 0}},
        {"text": "a", "parameters": {"max_tokens": 1.5}},
        {"text": "a", "parameters": {"system": "s" * 20_001}},
    ],
)
def test_a_draft_is_taken_strictly(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Draft.model_validate(body)


@pytest.mark.parametrize(
    "body",
    [
        {"title": 1},
        {"name": "a"},
        {"state": "deleted"},
        {"model": ""},
        {"parameters": {"heat": 1}},
        {"leaf_id": 1},
    ],
)
def test_an_arrangement_is_taken_strictly(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Arrangement.model_validate(body)


def test_what_neither_utf8_nor_a_database_can_hold_is_replaced() -> None:
    draft = Draft.model_validate({"text": "a\ud800b\0c\ud83d\ude00"})

    assert draft.text == "a\ufffdb\ufffdc😀"


def test_parameters_that_were_not_named_stay_the_sessions_own() -> None:
    assert Draft(text="a").parameters_given() is None
    assert Draft.model_validate({"text": "a", "parameters": {"top_p": 1}}).parameters_given() == {"top_p": 1}
