"""Counting sights of a beat: pure arithmetic, without any clock."""

import pytest

from assistant.domain.records import WorkerBeat
from assistant.runner.reconciling import Sightings


def _beats(**beats: int) -> list[WorkerBeat]:
    return [WorkerBeat(id_, beat) for id_, beat in beats.items()]


@pytest.mark.parametrize("lost_after", [2, 4, 7])
def test_a_standing_beat_is_lost_in_the_pass_that_completes_the_count(lost_after: int) -> None:
    sightings = Sightings(lost_after)

    for _ in range(lost_after - 1):
        assert sightings.look(_beats(a=5)) == []
    assert sightings.look(_beats(a=5)) == ["a"]


def test_each_worker_is_counted_by_itself() -> None:
    sightings = Sightings(3)

    assert sightings.look(_beats(a=1, b=1)) == []
    assert sightings.look(_beats(a=1, b=2)) == []
    assert sightings.look(_beats(a=1, b=2, c=1)) == ["a"]
    assert sightings.look(_beats(b=2, c=1)) == ["b"]


def test_any_other_number_is_a_sign_of_life_also_a_smaller_one() -> None:
    """A worker whose row was made again begins at one."""
    sightings = Sightings(2)

    sightings.look(_beats(a=7))
    assert sightings.look(_beats(a=1)) == []
    assert sightings.look(_beats(a=1)) == ["a"]


def test_a_worker_that_was_away_for_a_pass_is_counted_anew() -> None:
    sightings = Sightings(2)

    sightings.look(_beats(a=7))
    sightings.look([])
    assert sightings.look(_beats(a=7)) == []


def test_forgetting_starts_every_count_again() -> None:
    sightings = Sightings(3)
    for _ in range(2):
        sightings.look(_beats(a=7))

    sightings.forget()

    assert [sightings.look(_beats(a=7)) for _ in range(3)] == [[], [], ["a"]]
