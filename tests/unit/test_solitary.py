"""Who may share a data directory: the lock that says so dies with its process."""

from pathlib import Path

import pytest

from assistant.engine.solitary import NotAlone, hold


def test_two_that_must_be_alone_cannot_share(tmp_path: Path) -> None:
    with (
        hold(tmp_path, alone=True),
        pytest.raises(NotAlone, match="ASSISTANT_REDIS_URL"),
        hold(tmp_path, alone=True),
    ):
        pass


def test_those_that_share_a_queue_hold_it_together(tmp_path: Path) -> None:
    with hold(tmp_path, alone=False), hold(tmp_path, alone=False):
        pass


@pytest.mark.parametrize("first", [True, False])
def test_one_alone_and_one_that_shares_are_in_each_others_way(tmp_path: Path, first: bool) -> None:
    with (
        hold(tmp_path, alone=first),
        pytest.raises(NotAlone, match="ASSISTANT_DATA_DIR"),
        hold(tmp_path, alone=not first),
    ):
        pass


def test_whoever_comes_after_the_end_of_the_first_may_hold(tmp_path: Path) -> None:
    with hold(tmp_path, alone=True):
        pass
    with hold(tmp_path, alone=True):
        pass
