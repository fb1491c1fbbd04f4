"""What routes ask of a request: ids that cannot be ids never reach the store, keys make wishes."""

import pytest

from assistant.api.asked import keyed_wish, known, wish
from assistant.domain.errors import KeyMissing, NotFound
from assistant.domain.records import WishKind


@pytest.mark.parametrize("id", ["", "x" * 65, "a\0", "a\n", "é", "😀", "\x7f"])
def test_what_cannot_be_an_id_is_simply_not_found(id: str) -> None:
    with pytest.raises(NotFound) as refused:
        known(id)

    assert refused.value.message == NotFound().message


@pytest.mark.parametrize("id", ["x", "x" * 64, "01932f5a-0000-7000-8000-000000000001", "any thing/at all"])
def test_any_other_id_is_taken_as_it_is(id: str) -> None:
    assert known(id) == id


def test_a_wish_is_told_apart_by_route_and_body() -> None:
    stop = wish(WishKind.STOP, "k", "stop", {"id": "1"})

    assert stop == wish(WishKind.STOP, "k", "stop", {"id": "1"})
    others = [wish(WishKind.STOP, "k", "stop", {"id": "2"}), wish(WishKind.STOP, "k", "retry", {"id": "1"})]
    assert stop is not None
    assert stop.fingerprint not in {other.fingerprint for other in others if other}


def test_a_key_is_optional_or_required() -> None:
    assert wish(WishKind.STOP, None, "stop", {}) is None
    with pytest.raises(KeyMissing):
        keyed_wish(WishKind.SEND, "", "send", {})
