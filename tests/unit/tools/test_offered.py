"""Which tools the product offers, which of them ask, and which may be repeated."""

from pathlib import Path

import pytest

from assistant.domain.times import SystemClock
from assistant.domain.tools import ToolSpec
from assistant.storage.store import SqlStore
from assistant.tools.mail_server import SmtpPost
from assistant.tools.offered import offered_tools, post_at


def specs(tmp_path: Path, *, demo: bool = False) -> dict[str, ToolSpec]:
    # The store opens nothing before its first transaction.
    store = SqlStore(f"sqlite+aiosqlite:///{tmp_path / 'none.db'}")
    return {spec.name: spec for spec in offered_tools(store, SystemClock(), "", tmp_path, demo=demo).specs()}


def test_the_tools_of_the_product(tmp_path: Path) -> None:
    assert list(specs(tmp_path)) == [
        *("current_time", "calculator", "web_page"),
        *("write_note", "list_notes", "read_note", "delete_note", "send_mail"),
    ]


def test_the_slow_tool_is_for_demonstrations(tmp_path: Path) -> None:
    assert specs(tmp_path, demo=True).keys() - specs(tmp_path).keys() == {"slow_count"}


def test_what_cannot_be_taken_back_asks_a_person(tmp_path: Path) -> None:
    asking = {name for name, spec in specs(tmp_path, demo=True).items() if spec.needs_decision}
    assert asking == {"send_mail", "delete_note"}


def test_what_makes_something_new_is_not_repeated_by_itself(tmp_path: Path) -> None:
    once = {name for name, spec in specs(tmp_path, demo=True).items() if not spec.idempotent}
    assert once == {"send_mail", "write_note"}


def test_a_mail_server_is_used_when_one_is_set(tmp_path: Path) -> None:
    assert isinstance(post_at("smtp://mail.test", tmp_path), SmtpPost)
    assert not isinstance(post_at("", tmp_path), SmtpPost)


@pytest.mark.parametrize("demo", [True, False])
def test_nothing_is_made_or_reached_by_offering(tmp_path: Path, demo: bool) -> None:
    specs(tmp_path, demo=demo)
    assert list(tmp_path.iterdir()) == []
