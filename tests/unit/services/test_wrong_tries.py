"""Wrong tries are counted by address and in total, and forgotten after some minutes."""

from datetime import UTC, datetime, timedelta

import pytest

from assistant.domain.errors import TooManyTries
from assistant.services.wrong_tries import WINDOW_SECONDS, WrongTries


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = datetime(2030, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def id(self) -> str:
        raise NotImplementedError

    def passes(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def tried(tries: WrongTries, *addresses: str) -> None:
    for address in addresses:
        tries.begin(address)


def test_an_address_has_so_many_tries_and_then_waits_for_the_oldest() -> None:
    clock = Hand()
    tries = WrongTries(clock, of_address=2)
    tried(tries, "a")
    clock.passes(60)
    tried(tries, "a", "b")
    with pytest.raises(TooManyTries) as refusal:
        tries.begin("a")
    assert refusal.value.details == {"retry_after": WINDOW_SECONDS - 60}
    clock.passes(WINDOW_SECONDS - 60)
    tried(tries, "a")
    with pytest.raises(TooManyTries):
        tries.begin("a")


def test_all_addresses_together_have_so_many() -> None:
    clock = Hand()
    tries = WrongTries(clock, in_total=3)
    tried(tries, "a", "b", "c")
    with pytest.raises(TooManyTries):
        tries.begin("d")
    clock.passes(WINDOW_SECONDS)
    tried(tries, "d")


def test_what_was_right_does_not_count() -> None:
    tries = WrongTries(Hand(), of_address=1)
    for _ in range(5):
        tries.forgive(tries.begin("a"))
    tried(tries, "a")
    with pytest.raises(TooManyTries):
        tries.begin("a")


def test_a_refused_try_makes_nobody_wait_longer() -> None:
    clock = Hand()
    tries = WrongTries(clock, of_address=1)
    tried(tries, "a")
    clock.passes(WINDOW_SECONDS - 1)
    with pytest.raises(TooManyTries):
        tries.begin("a")
    clock.passes(1)
    tried(tries, "a")
