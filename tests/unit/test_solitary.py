"""One embedded process a data directory."""

from pathlib import Path

import pytest

from assistant.engine.solitary import NotAlone, hold


def test_a_second_holder_is_refused_with_the_settings_to_change(tmp_path: Path) -> None:
    with (
        hold(tmp_path),
        pytest.raises(NotAlone, match=r"ASSISTANT_REDIS_URL.*ASSISTANT_DATA_DIR"),
        hold(tmp_path),
    ):
        pass


def test_whoever_comes_after_the_end_of_the_first_may_hold(tmp_path: Path) -> None:
    with hold(tmp_path / "new"):
        pass

    with hold(tmp_path / "new"):
        assert (tmp_path / "new").is_dir()
