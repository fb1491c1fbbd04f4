"""What a key may be, what makes two wishes the same, and how a session gets its first title."""

import pytest

from assistant.domain.errors import InvalidInput
from assistant.services.sending import TITLE_CHARACTERS, title_of
from assistant.services.wishes import MAX_KEY_CHARACTERS, check_key, fingerprint


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
