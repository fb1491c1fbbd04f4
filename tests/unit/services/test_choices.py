"""What a session can be set to; whatever else is refused by name."""

from typing import Any

import pytest

from assistant.domain.errors import InvalidInput
from assistant.services.choices import ANYTHING, MAX_SYSTEM_CHARACTERS, Choices

CHOICES = Choices(lambda: ("small", "big"), ("look", "note"))


@pytest.mark.parametrize("model", [None, "small", "big"])
@pytest.mark.parametrize(
    "parameters",
    [
        None,
        {},
        {"temperature": 0, "top_p": 1, "max_tokens": 1, "system": "", "tools": []},
        {"temperature": 2.0, "system": "x" * MAX_SYSTEM_CHARACTERS, "tools": ["note", "look"]},
    ],
)
def test_what_there_is_can_be_chosen(model: str | None, parameters: dict[str, Any] | None) -> None:
    CHOICES.check(model, parameters)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"temperature": 2.1}, "temperature"),
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"temperature": "1"}, "temperature"),
        ({"top_p": 1.1}, "top_p"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"max_tokens": 2**31}, "max_tokens"),
        ({"system": "x" * (MAX_SYSTEM_CHARACTERS + 1)}, "system"),
        ({"system": 1}, "system"),
        ({"tools": "look"}, "tools"),
        ({"tools": [1]}, "tools"),
        ({"tools": ["rm"]}, "rm"),
        ({"seed": 1}, "seed"),
    ],
)
def test_what_cannot_be_is_refused_by_name(parameters: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        CHOICES.check(None, parameters)


def test_a_model_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidInput, match="huge"):
        CHOICES.check("huge", None)


def test_without_a_list_any_name_is_right() -> None:
    ANYTHING.check("whatever", {"tools": ["anything"]})
