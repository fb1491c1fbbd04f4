"""What is counted for whom, and what is counted together."""

import pytest

from assistant.domain.errors import RateLimited
from assistant.services.limiting import Limiting, PerMinute, place_of
from assistant.streams.rates import RatesInProcess


def limiting(**most: int) -> Limiting:
    return Limiting(RatesInProcess(lambda: 0.0), PerMinute(**most))


async def test_too_many_sends_are_refused_with_the_seconds_to_wait() -> None:
    limits = limiting(sends=2)
    await limits.send("ada", "192.0.2.1")
    await limits.send("ada", "192.0.2.1")

    with pytest.raises(RateLimited) as refusal:
        await limits.send("ada", "192.0.2.1")

    assert refusal.value.details == {"retry_after": 30}


async def test_other_changes_and_other_owners_go_on() -> None:
    limits = limiting(sends=1, changes=1)
    await limits.send("ada", "")

    await limits.change("ada", "")
    await limits.send("bob", "")


async def test_an_address_is_limited_however_many_owners_it_is() -> None:
    limits = limiting(of_an_address=2)
    await limits.send("ada", "192.0.2.1")
    await limits.change("bob", "192.0.2.1")

    with pytest.raises(RateLimited):
        await limits.attempt("192.0.2.1")
    await limits.attempt("192.0.2.2")


async def test_new_owners_of_an_address_are_limited() -> None:
    limits = limiting(owners=1)
    await limits.new_owner("192.0.2.1")

    with pytest.raises(RateLimited):
        await limits.new_owner("192.0.2.1")


async def test_nought_is_no_limit() -> None:
    limits = limiting()
    for _ in range(1_000):
        await limits.send("ada", "192.0.2.1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
    ],
)
def test_addresses_of_one_household_are_counted_together(one: str, other: str) -> None:
    assert place_of(one) == place_of(other)


def test_addresses_of_two_are_not() -> None:
    assert place_of("2001:db8:1:2::1") != place_of("2001:db8:1:3::1")
