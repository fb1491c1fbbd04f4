"""The estimate of tokens: rather too high than too low, and pieces that lose nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.domain import tokens
from assistant.domain.message import Role
from assistant.domain.models import CallTurn, ModelRequest, Step, Turn
from assistant.domain.tokens import THIRDS, clipped, thirds_in, tokens_in, tokens_of, tokens_of_turn
from assistant.domain.tools import ToolSpec


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abc", 1),
        ("abcd", 2),
        ("你好", 2),
        ("你好 abc", 4),
        ("Привет", 6),
        ("👩‍👩‍👧", 8),
        ("한국어 テスト", 7),
    ],
)
def test_ascii_counts_three_a_token_and_any_other_character_at_least_one(text: str, tokens: int) -> None:
    assert tokens_in(text) == tokens


@given(st.text())
def test_no_text_counts_less_than_a_third_of_its_characters_or_more_than_two_each(text: str) -> None:
    assert len(text) / 3 <= tokens_in(text) <= 2 * len(text)


@given(st.text(), st.text())
def test_a_text_counts_no_more_than_its_halves(one: str, other: str) -> None:
    assert tokens_in(one + other) <= tokens_in(one) + tokens_in(other)


@given(st.lists(st.text()))
def test_thirds_of_pieces_add_up_to_those_of_the_whole(pieces: list[str]) -> None:
    assert sum(map(thirds_in, pieces)) == thirds_in("".join(pieces))


@given(st.text(), st.integers(2, 40))
def test_what_is_clipped_is_the_longest_beginning_that_fits(text: str, most: int) -> None:
    beginning = clipped(text, most)
    assert text.startswith(beginning)
    assert tokens_in(beginning) <= most
    assert beginning == text or tokens_in(text[: len(beginning) + 1]) > most
    assert beginning or not text


@pytest.mark.parametrize("character", ["a", "你", "👩"])
def test_of_a_huge_text_no_more_is_looked_at_than_may_fit(
    character: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop of the process waits for it."""
    looked_at: list[int] = []

    def noted(text: str) -> int:
        looked_at.append(len(text))
        return thirds_in(text)

    monkeypatch.setattr(tokens, "thirds_in", noted)
    clipped(character * 1_000_000, 100)
    assert max(looked_at) <= 100 * THIRDS
    assert len(looked_at) < 20


def test_a_turn_counts_its_calls_and_their_results() -> None:
    call = CallTurn("id", "search", '{"q": "x"}', "r" * 300)
    bare = Turn(Role.ASSISTANT, "done")
    assert tokens_of_turn(Turn(Role.ASSISTANT, "done", (Step("", (call,)),))) > tokens_of_turn(bare) + 100


def test_a_request_counts_all_that_is_told() -> None:
    bare = ModelRequest((Turn(Role.USER, "hi"),))
    parts = [
        ModelRequest(bare.turns, parameters={"system": "s" * 300}),
        ModelRequest(bare.turns, summary="s" * 300),
        ModelRequest(bare.turns, kept="s" * 300),
        ModelRequest(bare.turns, steps=(Step("s" * 300, ()),)),
        ModelRequest((*bare.turns, Turn(Role.USER, "s" * 300))),
        ModelRequest(
            bare.turns, tools=(ToolSpec("t", "s" * 300, {}, idempotent=True, needs_decision=False),)
        ),
    ]
    assert all(tokens_of(each) >= tokens_of(bare) + 100 for each in parts)
