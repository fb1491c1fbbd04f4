"""How much of the list a tab wants to see, as its browser says it."""

import pytest

from assistant.domain.session import SessionState
from assistant.domain.task import TaskState
from assistant.services.listing import MARKS
from assistant.ui.states.listing import AT_FIRST, AT_MOST, read_wanted


@pytest.mark.parametrize(
    ("wanted", "many", "state"),
    [
        ("", AT_FIRST, SessionState.ACTIVE),
        ("100", 100, SessionState.ACTIVE),
        ("150 archived", 150, SessionState.ARCHIVED),
        ("7", AT_FIRST, SessionState.ACTIVE),
        ("99999", AT_MOST, SessionState.ACTIVE),
        ("1" * 30, AT_FIRST, SessionState.ACTIVE),
        ("-1", AT_FIRST, SessionState.ACTIVE),
        ("²00", AT_FIRST, SessionState.ACTIVE),
        ("100 deleted", 100, SessionState.ACTIVE),
        (" archived", AT_FIRST, SessionState.ARCHIVED),
    ],
)
def test_what_a_browser_says_is_read_or_means_the_first_page(
    wanted: str, many: int, state: SessionState
) -> None:
    assert read_wanted(wanted) == (many, state)


def test_every_state_of_a_task_says_something_or_nothing() -> None:
    assert set(MARKS) == set(TaskState)
