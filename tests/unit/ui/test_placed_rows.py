"""Where new messages stand among the rows: after their parent, in place of a sibling's branch."""

from datetime import UTC, datetime

from assistant.domain.message import Message, Role
from assistant.ui.rows import MessageRow, message_row
from assistant.ui.states.follow import placed


def a_message(id: str, parent: str | None, position: int) -> Message:
    at = datetime(2030, 1, 1, tzinfo=UTC)
    return Message(id, "s", parent, Role.USER, "", (), position, at, version=position)


def ids(rows: list[MessageRow] | None) -> list[str] | None:
    return None if rows is None else [row["id"] for row in rows]


ROWS = [message_row(message) for message in (a_message("q1", None, 1), a_message("a1", "q1", 2))]


def test_the_next_turn_comes_at_the_end() -> None:
    turn = (a_message("a2", "q2", 4), a_message("q2", "a1", 3))
    assert ids(placed(ROWS, turn)) == ["q1", "a1", "q2", "a2"]


def test_a_sibling_takes_the_place_of_the_branch_that_was_shown() -> None:
    assert ids(placed(ROWS, (a_message("a1-again", "q1", 3),))) == ["q1", "a1-again"]


def test_a_message_that_is_shown_already_changes_nothing() -> None:
    assert placed(ROWS, (a_message("a1", "q1", 2),)) == ROWS


def test_the_first_messages_fill_an_empty_page() -> None:
    assert ids(placed([], (a_message("q1", None, 1), a_message("a1", "q1", 2)))) == ["q1", "a1"]


def test_a_message_under_a_parent_that_is_not_shown_needs_the_branch_anew() -> None:
    assert placed(ROWS, (a_message("a9", "q9", 9),)) is None


def test_below_a_stretch_a_message_changes_nothing_that_is_shown() -> None:
    new = (a_message("q9", "a8", 9), a_message("a9", "q9", 10))
    assert placed(ROWS, new, has_newer=True) == ROWS
