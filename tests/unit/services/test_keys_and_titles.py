"""What a key may be, what makes two wishes the same, and how a session gets its first title."""

import pytest

from assistant.domain.errors import InvalidInput
from assistant.domain.records import WishKind
from assistant.domain.session import SessionState
from assistant.services.arranging import Arrangement, wish_to_arrange
from assistant.services.sending import TITLE_CHARACTERS, Draft, title_of, wish_to_send
from assistant.services.wishes import MAX_KEY_CHARACTERS, check_key, fingerprint, wish_about


@pytest.mark.parametrize("key", ["k", "0193-uuid", "with space", "~", "x" * MAX_KEY_CHARACTERS])
def test_printable_ascii_is_a_key(key: str) -> None:
    check_key(key)


@pytest.mark.parametrize("key", ["", "é", "tab\t", "\x7f", "x" * (MAX_KEY_CHARACTERS + 1)])
def test_anything_else_is_none(key: str) -> None:
    with pytest.raises(InvalidInput):
        check_key(key)


def test_the_order_of_a_bodys_fields_makes_no_other_wish() -> None:
    assert fingerprint("POST /a", {"x": 1, "y": {"b": 2, "a": [1]}}) == fingerprint(
        "POST /a", {"y": {"a": [1], "b": 2}, "x": 1}
    )


@pytest.mark.parametrize(
    ("route", "body"),
    [("POST /b", {"x": 1}), ("POST /a", {"x": "1"}), ("POST /a", {"x": 1, "y": None}), ("POST /a", {})],
)
def test_another_route_or_body_is_another_wish(route: str, body: dict[str, object]) -> None:
    assert fingerprint(route, body) != fingerprint("POST /a", {"x": 1})


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello?", "Hello?"),
        ("\n\n  First line \nsecond line", "First line"),
        ("word " * 30, "word " * 11 + "word…"),
        ("x" * 100, "x" * TITLE_CHARACTERS + "…"),
        ("👩‍👩‍👧 你好", "👩‍👩‍👧 你好"),
    ],
)
def test_a_title_is_the_first_line_shortened_at_a_word(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_wish_about_a_task_is_told_apart_by_kind_and_task() -> None:
    stop = wish_about(WishKind.STOP, "1", "k")

    assert stop == wish_about(WishKind.STOP, "1", "k")
    others = [wish_about(WishKind.STOP, "2", "k"), wish_about(WishKind.RETRY, "1", "k")]
    assert stop is not None
    assert stop.fingerprint not in {other.fingerprint for other in others if other}
    assert wish_about(WishKind.STOP, "1", None) is None


def test_a_send_is_told_apart_by_everything_in_its_draft() -> None:
    same = wish_to_send("k", Draft("text", "s")).fingerprint

    assert wish_to_send("k", Draft("text", "s")).fingerprint == same
    for other in (
        Draft("text"),
        Draft("Text", "s"),
        Draft("text", "s", model="m"),
        Draft("text", "s", edits="m"),
    ):
        assert wish_to_send("k", other).fingerprint != same


def test_a_send_that_edits_nothing_is_the_wish_that_it_was_before_there_were_edits() -> None:
    body = {"text": "text", "session_id": "s", "model": None, "parameters": None}

    assert wish_to_send("k", Draft("text", "s")).fingerprint == fingerprint("send", body)


def test_an_arrangement_is_told_apart_by_its_session_and_everything_in_it() -> None:
    same = wish_to_arrange("k", "s", Arrangement(title="t"))

    assert same == wish_to_arrange("k", "s", Arrangement(title="t"))
    assert same is not None
    others = [
        wish_to_arrange("k", "other", Arrangement(title="t")),
        wish_to_arrange("k", "s", Arrangement(title="T")),
        wish_to_arrange("k", "s", Arrangement(title="t", state=SessionState.ARCHIVED)),
        wish_to_arrange("k", "s", Arrangement(title="t", leaf_id="m")),
    ]
    assert same.fingerprint not in {other.fingerprint for other in others if other}
    assert wish_to_arrange(None, "s", Arrangement(title="t")) is None
