"""Tool calls in pieces, as OpenAI-shaped servers really send them, become the calls that were asked for."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.domain.errors import ProviderFailed
from assistant.models import openai_calls
from assistant.models.openai_calls import GrowingCalls
from tests.support.llm_script import opening

Asked = list[tuple[str, str]]
Piece = dict[str, Any]

HERE = ("here", '{"a": 1}')
THERE = ("there", '{"b": 2}')


def joined(*deltas: list[Piece]) -> Asked:
    growing = GrowingCalls()
    for pieces in deltas:
        growing.take({"tool_calls": pieces})
    return [(call.name, call.arguments) for call in growing.whole()]


def more(arguments: object, **given: Any) -> Piece:
    """A later piece of a call, at index 0 unless told otherwise."""
    return {"index": 0, "function": {"arguments": arguments}, **given}


def loose(piece: Piece, *without: str) -> Piece:
    """A piece that lacks some of its fields."""
    return {name: value for name, value in piece.items() if name not in without}


def one(name: str, arguments: object, **given: Any) -> Piece:
    """A whole call in one piece, without id and index unless told."""
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **given}


SHAPES: dict[str, tuple[list[list[Piece]], Asked]] = {
    "whole in one piece": ([[opening(*HERE)]], [HERE]),
    "in many pieces": ([[opening("here")], [more('{"a"')], [more(": ")], [more("1}")]], [HERE]),
    "two, one after the other": (
        [[opening(*HERE)], [opening("there", "", "call_1", 1)], [more('{"b": 2}', index=1)]],
        [HERE, THERE],
    ),
    "two, interleaved by index": (
        [
            [opening("here"), opening("there", "", "call_1", 1)],
            [more('{"b"', index=1)],
            [more('{"a": 1')],
            [more(": 2}", index=1), more("}")],
        ],
        [HERE, THERE],
    ),
    "two whole ones in one piece without indexes": ([[one(*HERE), one(*THERE)]], [HERE, THERE]),
    "two in pieces without indexes, told apart by their place": (
        [[one("here", '{"a"'), one("there", '{"b"')], [more(": 1}", index=None), more(": 2}", index=None)]],
        [HERE, THERE],
    ),
    "without ids": ([[loose(opening("here"), "id")], [more('{"a": 1}')]], [HERE]),
    "without index": (
        [[loose(opening("here"), "index")], [loose(more('{"a": '), "index")], [loose(more("1}"), "index")]],
        [HERE],
    ),
    "without index, two told apart by their ids": (
        [[one("here", '{"a"', id="x")], [one("there", '{"b": 2}', id="y")], [one("", ": 1}", id="x")]],
        [HERE, THERE],
    ),
    "without index and without ids, two whole ones": ([[one(*HERE)], [one(*THERE)]], [HERE, THERE]),
    "the same call twice, without index and without ids": ([[one(*HERE)], [one(*HERE)]], [HERE, HERE]),
    "the same call twice, both at index 0, with ids": (
        [[opening(*HERE, "x")], [opening(*HERE, "y")]],
        [HERE, HERE],
    ),
    "all at index 0, each with its id": (
        [[opening(*HERE, "x")], [opening("there", "", "y")], [more('{"b": 2}')]],
        [HERE, THERE],
    ),
    "all at index 0, interleaved by id": (
        [[opening("here", '{"a"', "x")], [opening(*THERE, "y")], [more(": 1}", id="x")]],
        [HERE, THERE],
    ),
    "empty names in later pieces": (
        [[opening("here")], [opening("", '{"a"', "call_0")], [opening("", ": 1}", "call_0")]],
        [HERE],
    ),
    "null names and ids in later pieces": (
        [[opening("here")], [{"index": 0, "id": None, "function": {"name": None, "arguments": '{"a": 1}'}}]],
        [HERE],
    ),
    "the id repeated in each piece": (
        [[opening("here", "", "x")], [more('{"a"', id="x")], [more(": 1}", id="x")]],
        [HERE],
    ),
    "id and name repeated in each piece": (
        [[opening("here", "", "x")], [opening("here", '{"a": {}', "x")], [opening("here", ', "b": 2}', "x")]],
        [("here", '{"a": {}, "b": 2}')],
    ),
    "a new id made up for each piece": (
        [[opening("here", "", "x")], [more('{"a"', id="y")], [more(": 1}", id="z")]],
        [HERE],
    ),
    "a new id made up for each piece, the name repeated": (
        [[opening("here", '{"a"', "x")], [opening("here", ": 1}", "y")]],
        [HERE],
    ),
    "the name after the first arguments": ([[more('{"a": ', id="x")], [opening("here", "1}", "x")]], [HERE]),
    "null arguments": ([[one("here", None)]], [("here", "")]),
    "empty arguments": ([[opening("here")], [more("")]], [("here", "")]),
    "an object instead of text": ([[one("here", {"a": 1})]], [HERE]),
    "a list instead of text": ([[one("here", [1])]], [("here", "[1]")]),
    "arguments that were cut stay cut": ([[opening("here", '{"a')]], [("here", '{"a')]),
    "pieces that say nothing": ([[{}], [opening(*HERE)], [more("")], [{"index": 1, "function": {}}]], [HERE]),
    "a surrogate pair that was split": (
        [[opening("here", '{"a": "\ud83d')], [more('\ude00"}')]],
        [("here", '{"a": "😀"}')],
    ),
    "a character that no database holds": ([[opening("here", "\0")]], [("here", "\ufffd")]),
}


@pytest.mark.parametrize(("deltas", "asked"), SHAPES.values(), ids=SHAPES.keys())
def test_pieces_become_the_calls_that_were_asked_for(deltas: list[list[Piece]], asked: Asked) -> None:
    assert joined(*deltas) == asked


def test_the_legacy_function_call_is_a_call() -> None:
    growing = GrowingCalls()

    for piece in ({"name": "here", "arguments": ""}, {"arguments": '{"a"'}, {"arguments": ": 1}"}):
        assert growing.take({"content": None, "function_call": piece})

    assert [(call.name, call.arguments) for call in growing.whole()] == [HERE]


def test_a_call_that_is_sent_in_both_shapes_is_taken_once() -> None:
    growing = GrowingCalls()

    growing.take({"tool_calls": [opening(*HERE)], "function_call": {"name": "here", "arguments": HERE[1]}})

    assert len(growing.whole()) == 1


@pytest.mark.parametrize("told", [None, [], "text", 7, [None], [{}], [{"function": None}]])
def test_what_is_no_piece_is_no_call(told: object) -> None:
    growing = GrowingCalls()

    assert not growing.take({"tool_calls": told})
    assert growing.whole() == ()


def test_a_call_that_is_never_named_is_a_broken_stream() -> None:
    with pytest.raises(ProviderFailed) as failed:
        joined([more('{"a": 1}', id="x")])

    assert failed.value.code == "model_broken_stream"


def test_pieces_that_could_be_of_two_calls_make_no_call_that_can_run() -> None:
    nameless = {"function": {"arguments": ": 1}"}}

    [(_, arguments), _] = joined([one("here", '{"a"')], [one("there", '{"b": 2}')], [nameless])

    with pytest.raises(ValueError, match="delimiter"):
        json.loads(arguments)


def test_more_calls_than_a_step_may_ask_for_are_refused_in_words() -> None:
    most = [opening("here", "{}", f"x{number}", number) for number in range(openai_calls.MOST_CALLS)]
    assert len(joined(most)) == openai_calls.MOST_CALLS

    with pytest.raises(ProviderFailed) as failed:
        joined([*most, opening("here", "{}", "y", openai_calls.MOST_CALLS)])

    assert failed.value.code == "model_too_many_calls"
    assert str(openai_calls.MOST_CALLS) in failed.value.message


@pytest.mark.parametrize("character", ["x", "é", "\ud83d"])
def test_arguments_beyond_the_bound_are_refused_while_they_come(character: str) -> None:
    bytes_each = len(character.encode("utf-8", "surrogatepass"))
    room = (openai_calls.MOST_BYTES - len("here")) // bytes_each
    fits = [opening("here"), more(character * room)]
    assert len(joined(fits)) == 1

    with pytest.raises(ProviderFailed) as failed:
        joined([*fits, more(character * 2, index=1)])

    assert failed.value.code == "model_too_many_calls"


names = st.sampled_from(["here", "there", "elsewhere"])
objects = st.dictionaries(
    st.text(max_size=5), st.text(max_size=20) | st.integers() | st.booleans(), max_size=4
)


@st.composite
def cut_calls(draw: st.DrawFn) -> tuple[Asked, list[list[Piece]]]:
    """Calls, and a way to send them: each cut anywhere, their pieces interleaved, by two to a delta."""
    asked = [
        (name, json.dumps(arguments, ensure_ascii=draw(st.booleans())))
        for name, arguments in draw(st.lists(st.tuples(names, objects), min_size=1, max_size=4))
    ]
    repeats_id, repeats_name, opens_empty = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    waiting: list[list[Piece]] = []
    for number, (name, arguments) in enumerate(asked):
        cuts = sorted(draw(st.sets(st.integers(1, len(arguments) - 1), max_size=5)))
        edges = [0, *([0] if opens_empty else []), *cuts, len(arguments)]
        pieces = [opening(name, arguments[a:b], f"x{number}", number) for a, b in pairwise(edges)]
        for later in pieces[1:]:
            if not repeats_id:
                del later["id"]
            if not repeats_name:
                later["function"]["name"] = draw(st.sampled_from(["", None]))
        waiting.append(pieces)
    sent: list[Piece] = [pieces.pop(0) for pieces in waiting]
    while any(waiting):
        sent.append(draw(st.sampled_from([pieces for pieces in waiting if pieces])).pop(0))
    size = draw(st.integers(1, 2))
    return asked, [sent[at : at + size] for at in range(0, len(sent), size)]


@given(cut_calls())
def test_any_split_of_the_same_calls_gives_the_same_calls(cut: tuple[Asked, list[list[Piece]]]) -> None:
    asked, deltas = cut

    assert joined(*deltas) == asked
