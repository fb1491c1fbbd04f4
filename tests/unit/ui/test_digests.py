"""Digests: how a long old message begins, and when a browser is sent one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.domain.frames import Cursor
from assistant.domain.message import Message, Role
from assistant.domain.transcript import Part, PartKind, checksum
from assistant.ui.chunks import of_ended, of_whole
from assistant.ui.digests import DIGEST_CHARACTERS, LONG_CHARACTERS, RECENT_MESSAGES, digest, old
from tests.unit.ui.test_chunks import a_message

SENTENCE = "It is long, with 你好 and 👩‍👩‍👧 in it.\n\n"
LONG = SENTENCE * (LONG_CHARACTERS // len(SENTENCE) + 2)


def brief(message: Message) -> str | None:
    made = digest(message)
    return None if made is None else made.text


def test_a_long_message_is_cut_at_a_paragraph() -> None:
    cut = brief(a_message(text=LONG))
    assert cut is not None
    assert LONG.startswith(f"{cut}\n\n")
    assert DIGEST_CHARACTERS - len(SENTENCE) <= len(cut) <= DIGEST_CHARACTERS


@pytest.mark.parametrize("text", ["short", "x" * LONG_CHARACTERS])
def test_a_message_that_is_not_long_has_none(text: str) -> None:
    assert digest(a_message(text=text)) is None


def test_a_message_with_tool_calls_has_none() -> None:
    message = a_message(text=LONG)
    with_call = replace(message, parts=(*message.parts, Part(PartKind.TOOL_CALL, 9, 9, "c")))
    assert digest(with_call) is None


def test_the_reasoning_before_an_answer_is_not_its_digest() -> None:
    thought = len(LONG)
    parts = (Part(PartKind.REASONING, 0, thought), Part(PartKind.TEXT, thought, thought + 4))
    assert brief(replace(a_message(text=f"{LONG}Yes."), parts=parts)) == "Yes."


@given(st.text(st.sampled_from("a 你👩\u200d\ufe0f\u0301\n"), min_size=1_500, max_size=1_600))
def test_a_digest_is_how_the_text_begins_wherever_it_is_cut(text: str) -> None:
    whole = text * 3
    cut = brief(a_message(text=whole))
    assert cut
    assert whole.startswith(cut)
    assert len(cut) <= DIGEST_CHARACTERS


def test_the_newest_messages_of_a_branch_are_whole() -> None:
    stretch = [replace(a_message(), id=str(number)) for number in range(RECENT_MESSAGES + 2)]
    assert old(stretch, has_newer=False) == {"0", "1"}
    assert len(old(stretch, has_newer=True)) == len(stretch)


@pytest.mark.parametrize("role", Role)
def test_what_is_sent_of_a_long_message_is_what_the_browser_lacks(role: Role) -> None:
    message = a_message(role, LONG)
    made = digest(message)
    assert made is not None

    [told, *_] = of_ended(message, {}, brief=made)
    assert (told["x"], told["w"]) == (made.text, len(LONG))
    holds_digest = Cursor(len(made.text), 0, checksum(made.text))
    assert of_ended(message, {}, {"m": holds_digest}, brief=made) == []
    holds_whole = Cursor(len(LONG), 0, checksum(LONG))
    assert of_ended(message, {}, {"m": holds_whole}, brief=made) == []
    # It came among the newest meanwhile.
    rest = of_ended(message, {}, {"m": holds_digest})
    assert made.text + rest[0]["x"] == LONG


def test_the_whole_is_shown_or_had_beside_the_digest() -> None:
    message = a_message(text=LONG)
    assert [chunk["op"] for chunk in of_whole(message, 2, shown=True)] == ["replace", "end"]
    assert of_whole(message, 2, shown=False) == [{"m": "m", "t": "t", "op": "aside", "x": LONG}]
