"""Files beside a component are put where `rx.asset` would put them, and named as it would name them."""

import re
from pathlib import Path

import pytest
import reflex as rx

from assistant import ui
from assistant.ui.files_beside import files_beside

UI = Path(ui.__file__).parent


def test_they_are_named_and_linked_as_reflex_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = Path(__file__).name
    ours = files_beside(__name__, __file__, own)[own]
    link = tmp_path / "assets" / "external" / Path(*__name__.split(".")) / own
    assert link.resolve() == Path(__file__).resolve()
    assert ours.importable_path == rx.asset(own, shared=True).importable_path
    assert [link.name for link in link.parent.iterdir()] == [own]


def test_a_wrong_link_is_put_right_and_a_right_one_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = Path(__file__).name
    files_beside(__name__, __file__, own)
    (link,) = (tmp_path / "assets").rglob(own)
    first = link.lstat().st_ino
    files_beside(__name__, __file__, own)
    assert link.lstat().st_ino == first
    link.unlink()
    link.symlink_to(tmp_path / "elsewhere")
    files_beside(__name__, __file__, own)
    assert link.resolve() == Path(__file__).resolve()


def test_a_file_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError):
        files_beside(__name__, __file__, "no-such-file.js")


def test_no_component_asks_reflex_for_them() -> None:
    """It costs 75 ms of each start for each file."""
    users = [path.name for path in UI.rglob("*.py") if re.search(r"\brx\.asset\(\"", path.read_text("utf-8"))]
    assert users == []
