"""Keys that have expired are told once, by their latest deadline."""

from assistant.streams.expiries import Expiries


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_key_is_told_once_after_it_expired() -> None:
    clock = Clock()
    expiries = Expiries(clock)
    expiries.note("a", 10)

    clock.now = 9
    assert expiries.take(5) == []
    clock.now = 11
    assert expiries.take(5) == ["a"]
    assert expiries.take(5) == []


def test_a_later_deadline_counts_instead_of_an_earlier_one() -> None:
    clock = Clock()
    expiries = Expiries(clock)
    expiries.note("a", 10)
    clock.now = 5
    expiries.note("a", 10)

    clock.now = 11
    assert expiries.take(5) == []
    clock.now = 16
    assert expiries.take(5) == ["a"]


def test_an_earlier_deadline_counts_instead_of_a_later_one() -> None:
    clock = Clock()
    expiries = Expiries(clock)
    expiries.note("a", 3600)
    expiries.note("a", 10)

    clock.now = 11
    assert expiries.take(5) == ["a"]
    clock.now = 3700
    assert expiries.take(5) == []


def test_no_more_are_told_than_were_asked_for() -> None:
    clock = Clock()
    expiries = Expiries(clock)
    for key in "abc":
        expiries.note(key, 1)

    clock.now = 2
    assert len(expiries.take(2)) == 2
    assert len(expiries.take(2)) == 1
