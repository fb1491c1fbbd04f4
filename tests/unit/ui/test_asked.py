"""What a browser hands to a handler is looked at before anything is done with it."""

import json
from typing import Any

import pytest

from assistant.domain.errors import InvalidInput, NotFound
from assistant.domain.tool_call import Decision
from assistant.services.turns import MAX_MESSAGE_CHARACTERS
from assistant.services.wishes import MAX_KEY_CHARACTERS
from assistant.ui import asked
from assistant.ui.states.have import MOST_CHARACTERS, held_by

NO_TEXTS: list[Any] = [None, 7, 1.5, True, [], ["a"], {}, {"a": "b"}]


@pytest.mark.parametrize("given", [*NO_TEXTS, "", "a" * 65, "\x00", "é", "a\nb"])
def test_what_cannot_be_an_id_is_not_found(given: Any) -> None:
    with pytest.raises(NotFound):
        asked.an_id(given)


@pytest.mark.parametrize("given", [*NO_TEXTS, "", "k" * (MAX_KEY_CHARACTERS + 1), "k\tk", "é"])
def test_what_cannot_be_a_key_gets_no_reply(given: Any) -> None:
    assert not asked.is_key(given)


@pytest.mark.parametrize("given", [*NO_TEXTS, "a" * 11])
def test_what_is_no_text_or_too_long_is_refused_in_words(given: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        asked.a_text(given, 10)
    assert refusal.value.message


@pytest.mark.parametrize("given", ["7", None, -1, 2**53 + 1, 1.5, True, [], {}])
def test_what_is_no_count_is_refused(given: Any) -> None:
    with pytest.raises(InvalidInput):
        asked.a_number(given)


@pytest.mark.parametrize("given", ["maybe", "APPROVE", "", None, 1, {}, []])
def test_what_is_no_decision_is_refused(given: Any) -> None:
    with pytest.raises(InvalidInput):
        asked.a_decision(given)


def test_what_is_right_passes_as_it_is() -> None:
    assert asked.an_id("0198-a") == "0198-a"
    assert asked.an_id_or_none("") is asked.an_id_or_none(None) is None
    assert asked.is_key("k" * MAX_KEY_CHARACTERS)
    assert asked.a_number(0) == 0
    assert asked.a_decision("deny") is Decision.DENY
    assert asked.a_text("é" * MAX_MESSAGE_CHARACTERS) == "é" * MAX_MESSAGE_CHARACTERS


def test_a_page_that_says_that_it_holds_more_than_any_page_does_holds_nothing() -> None:
    place = {"t": [1, 2, 3]}
    assert set(held_by(json.dumps(place))) == {"t"}
    assert held_by(json.dumps({**place, "x": ["y" * MOST_CHARACTERS]})) == {}
