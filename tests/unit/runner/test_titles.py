"""What a model says is a title only when it looks like one."""

import pytest

from assistant.runner.titling import title_in


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Trains to Prague", "Trains to Prague"),
        ('"Trains to Prague."', "Trains to Prague"),
        ("**Trains to   Prague**\n", "Trains to Prague"),
        ("Title: Trains to Prague", "Trains to Prague"),
        ("标题：去布拉格的火车。", "去布拉格的火车"),
        ("«Поезда в Прагу»", "Поезда в Прагу"),
        ("# C# or C++?", "C# or C++?"),
    ],
)
def test_what_models_put_around_a_title_is_taken_off(said: str, title: str) -> None:
    assert title_in(said) == title


@pytest.mark.parametrize(
    "said",
    [
        "",
        " \n ",
        '"."',
        "Here is a title:\nTrains to Prague",
        "I am sorry, but I cannot name this conversation, since what it is about is against my rules.",
        "x" * 81,
        "‍​",
    ],
)
def test_what_is_no_title_leaves_the_first_line(said: str) -> None:
    assert title_in(said) == ""
