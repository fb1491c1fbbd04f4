"""The seal: who can be told from two headers, and that nobody can make one up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.domain.records import OwnerKind
from assistant.services.owner_seal import COOKIE, KnownOwner, OwnerSeal, named

SEAL = OwnerSeal(lambda: "a key of this test")
OWNER = KnownOwner("01932f5a-0000-7000-8000-000000000001")
VALUE = SEAL.seal(OWNER)


def test_a_seal_opens_to_its_owner() -> None:
    assert SEAL.open(VALUE) == OWNER
    assert SEAL.open(SEAL.seal(named("Ada"))) == named("Ada")


def test_the_same_name_is_the_same_owner_and_no_anonymous_one() -> None:
    assert named("Ada").id == named("Ada").id != named("ada").id
    assert named("Ada").kind is OwnerKind.NAMED


@given(st.text(min_size=1, max_size=300))
def test_any_name_makes_a_value_that_a_header_can_carry(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        return
    value = SEAL.seal(named(name))

    assert value.isascii()
    assert not set(value) & set(' ;,"\\')
    assert SEAL.open(value) == named(name)


@pytest.mark.parametrize("place", range(0, len(VALUE), 7))
def test_a_tampered_seal_is_as_none(place: int) -> None:
    other = "A" if VALUE[place] != "A" else "B"

    assert SEAL.open(VALUE[:place] + other + VALUE[place + 1 :]) is None


@given(st.text(max_size=60))
def test_whatever_comes_as_a_cookie_never_raises(junk: str) -> None:
    assert SEAL.owner_of(junk, junk) is None
    assert SEAL.open(junk) is None


def test_the_seal_of_another_key_is_as_none() -> None:
    assert OwnerSeal(lambda: "another key").open(VALUE) is None


def test_the_key_is_not_asked_for_before_it_is_needed() -> None:
    def refuse() -> str:
        raise AssertionError("asked for the key")

    assert OwnerSeal(refuse).owner_of(None, None) is None


def test_the_cookie_is_found_among_malformed_others() -> None:
    header = f'=; {{"json": 1}}; {COOKIE}=broken; other; {COOKIE}={VALUE}; a=b=c'

    assert SEAL.owner_of(header) == OWNER


def test_a_bearer_counts_before_the_cookie_and_a_foreign_bearer_does_not_hide_it() -> None:
    other = KnownOwner("01932f5a-0000-7000-8000-000000000002")
    cookie = f"{COOKIE}={VALUE}"

    assert SEAL.owner_of(cookie, f"Bearer {SEAL.seal(other)}") == other
    assert SEAL.owner_of(cookie, "bearer a.token.of-some-proxy") == OWNER
    assert SEAL.owner_of(None, f"Basic {VALUE}") is None
