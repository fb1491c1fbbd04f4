"""Text on its way to the page: every happening as chunks, and what a browser holds is not sent again."""

from dataclasses import replace
from datetime import UTC, datetime

from assistant.domain.frames import Cursor, Frame, Replace
from assistant.domain.log import Folded, Position
from assistant.domain.message import Message, Role
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.transcript import Part, PartKind, Transcript, checksum
from assistant.services.standing import Beat, Closed, GapSeen
from assistant.ui.chunks import of_ended, of_happening, of_message, of_unfinished, terse

TEXT = "你好 👩‍👩‍👧"
SO_FAR = Folded(Transcript().append(PartKind.TEXT, TEXT), Position(2, 3), attempt=2)


def a_message(role: Role = Role.ASSISTANT, text: str = TEXT) -> Message:
    return Message(
        id="m",
        session_id="s",
        parent_id=None,
        role=role,
        text=text,
        parts=(Part(PartKind.TEXT, 0, len(text)),),
        position=1,
        created_at=datetime(2030, 1, 1, tzinfo=UTC),
        version=1,
        client_id="key" if role is Role.USER else None,
        task_id="t" if role is Role.ASSISTANT else None,
    )


def test_a_frame_is_one_text_chunk_with_all_that_the_rule_of_receive_needs() -> None:
    frame = Frame(2, 5, "more", PartKind.REASONING, base=4, after=1)

    assert of_happening("m", "t", frame) == [
        {"m": "m", "t": "t", "op": "text", "a": 2, "o": 5, "x": "more", "k": "reasoning", "b": 4, "f": 1}
    ]


def test_a_replace_carries_its_parts_and_an_end_ends() -> None:
    whole = of_happening("m", "t", Replace(3, SO_FAR.transcript))[0]

    assert (whole["op"], whole["a"], whole["x"]) == ("replace", 3, TEXT)
    assert whole["p"] == [["text", 0, len(TEXT), None]]
    assert of_happening("m", "t", Closed(TaskState.DONE, TaskReason.COMPLETE, 4))[0]["op"] == "end"
    assert of_happening("m", "t", GapSeen(4, 9)) == [{"m": "m", "t": "t", "op": "gap", "from": 4, "to": 9}]
    assert of_happening("m", "t", Beat()) == []


def test_a_finished_answer_is_whole_and_ended_and_a_users_message_names_its_key() -> None:
    assert [chunk["op"] for chunk in of_message(a_message())] == ["replace", "end"]
    mine = of_message(a_message(Role.USER))
    assert [(chunk["op"], chunk["c"]) for chunk in mine] == [("replace", "key")]


def test_what_the_browser_proves_to_hold_is_not_sent_again() -> None:
    held = Cursor(3, 2, checksum(TEXT[:3]))

    chunks = of_unfinished(a_message(), SO_FAR, held)

    assert [(chunk["op"], chunk["o"], chunk["x"]) for chunk in chunks] == [("text", 3, TEXT[3:])]


def test_what_it_cannot_prove_is_replaced() -> None:
    for held in (None, Cursor(3, 2, 1), Cursor(3, 1, None), Cursor(99, 2, 0)):
        chunks = of_unfinished(a_message(), SO_FAR, held)
        assert [(chunk["op"], chunk["x"]) for chunk in chunks] == [("replace", TEXT)], held


def test_what_goes_without_saying_is_not_said() -> None:
    """The component's defaults; the id and the task of a message are told once in a follow."""
    named: dict[str, str] = {}
    frames = [Frame(2, 5, "a", base=5, after=2), Frame(2, 6, "b", PartKind.REASONING, base=6, after=1)]
    chunks = [chunk for frame in frames for chunk in of_happening("m", "t", frame)]

    assert terse(chunks, named) == [
        {"m": "m", "t": "t", "a": 2, "o": 5, "x": "a"},
        {"n": "m", "a": 2, "o": 6, "x": "b", "k": "reasoning", "f": 1},
    ]
    end = of_happening("m", "t", Closed(TaskState.DONE, TaskReason.STOPPED, 7), attempt=3)
    assert terse(end, named) == [{"n": "m", "op": "end", "a": 3}]


def test_of_a_whole_text_only_what_the_browser_lacks_is_sent() -> None:
    message = a_message()
    whole = Cursor(len(TEXT), 0, checksum(TEXT))

    assert of_ended(message, {}, {"m": whole}) == []
    assert [chunk["op"] for chunk in of_ended(message, {}, {"t": whole})] == ["end"]
    rest = of_ended(message, {}, {"t": Cursor(3, 0, checksum(TEXT[:3]))})
    assert [(chunk["op"], chunk.get("x")) for chunk in rest] == [("text", TEXT[3:]), ("end", None)]
    for unproven in (Cursor(len(TEXT), 0, 1), Cursor(99, 0, 0)):
        assert [chunk["op"] for chunk in of_ended(message, {}, {"m": unproven})] == ["replace", "end"], (
            unproven
        )
    assert [chunk["op"] for chunk in of_ended(message, {})] == ["replace", "end"]


def test_where_tool_calls_stand_is_not_told_with_the_text() -> None:
    """The rows of the calls say it."""
    message = a_message()
    with_a_call = replace(message, parts=(*message.parts, Part(PartKind.TOOL_CALL, 2, 2, "call")))
    whole = Cursor(len(TEXT), 0, checksum(TEXT))
    assert of_ended(with_a_call, {}, {"m": whole}) == []
    assert [chunk["op"] for chunk in of_ended(with_a_call, {}, {"t": whole})] == ["end"]


def test_a_message_is_named_whole_once_and_then_by_the_end_of_its_id() -> None:
    """Two ids that end alike: the name means the one that was told whole last, as it does in the page."""
    one, like_it, other = "a-12345678", "b-12345678", "c-87654321"
    named: dict[str, str] = {}

    def told(message: str) -> dict[str, str]:
        [chunk] = terse(of_happening(message, "t", Frame(1, 0, "x")), named)
        return {key: chunk[key] for key in ("m", "n", "t") if key in chunk}

    assert [told(one), told(one)] == [{"m": one, "t": "t"}, {"n": "12345678"}]
    assert [told(other), told(one)] == [{"m": other, "t": "t"}, {"n": "12345678"}]
    assert [told(like_it), told(like_it)] == [{"m": like_it, "t": "t"}, {"n": "12345678"}]
    assert told(one) == {"m": one, "t": "t"}
