"""The hash that a decision is bound to: the same for the same arguments, another for any others."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.domain.tools import arguments_hash, canonical_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=5)


def shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        items = [(name, shuffled(inner, order)) for name, inner in value.items()]
        order.shuffle(items)
        return dict(items)
    return [shuffled(inner, order) for inner in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(OBJECTS, st.randoms(use_true_random=False), st.sampled_from([None, 1, 4]), st.booleans())
def test_order_white_space_and_escapes_do_not_change_it(
    arguments: dict[str, Any], order: random.Random, indent: int | None, escaped: bool
) -> None:
    spelled = json.dumps(shuffled(arguments, order), indent=indent, ensure_ascii=escaped)
    assert arguments_hash(json.loads(spelled)) == arguments_hash(arguments)


@settings(deadline=None)
@given(OBJECTS, OBJECTS)
def test_two_objects_have_one_hash_only_if_they_are_the_same(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert (arguments_hash(one) == arguments_hash(other)) == (_exactly(one) == _exactly(other))


@settings(deadline=None)
@given(OBJECTS)
def test_the_canonical_spelling_reads_back_as_itself(arguments: dict[str, Any]) -> None:
    spelled = canonical_json(arguments)
    assert canonical_json(json.loads(spelled)) == spelled


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        (2**53, 2**53 + 1),
        (10**400, 10**400 + 1),
        (0.1, 0.1 + 2**-56),
        ("\u00e9", "e\u0301"),
        ("a", "a "),
        ("1", 1),
        (None, "null"),
        ([], {}),
        ([1, 2], [2, 1]),
    ],
)
def test_what_looks_alike_is_not_the_same(one: Any, other: Any) -> None:
    assert arguments_hash({"a": one}) != arguments_hash({"a": other})


def test_it_is_the_sha_256_of_the_canonical_spelling() -> None:
    assert canonical_json({"b": [1.50, "é\n"], "a": {}}) == '{"a":{},"b":[1.5,"é\\n"]}'
    assert arguments_hash({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_refused(number: float) -> None:
    with pytest.raises(ValueError):
        arguments_hash({"a": number})


def _exactly(value: Any) -> Any:
    """A spelling that tells types and every bit of a number, independent of the order of names."""
    if isinstance(value, dict):
        return ("object", sorted((name, _exactly(inner)) for name, inner in value.items()))
    if isinstance(value, list):
        return ("list", [_exactly(inner) for inner in value])
    return (type(value).__name__, value.hex() if isinstance(value, float) else repr(value))
