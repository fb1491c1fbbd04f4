"""Text that comes while a page is restored, or faster than it is drawn, is neither lost nor doubled."""

from collections.abc import Callable

import pytest

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until

BURST = tuple(f"word {number} {'of many ' * 11}\n\n" for number in range(2000))
BLOCKED_MS = 800

MOMENTS: dict[str, Callable[[ChatPage], object]] = {
    "the document is asked for": lambda page: None,
    "the document runs": lambda page: until(page.page, "window.watched"),
    "the rows are drawn": lambda page: page.element("message").first.wait_for(),
    "it is restored": lambda page: page.ready(),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_answer_that_ends_at_any_moment_of_a_restore_is_whole(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, moment: str
) -> None:
    """Case B017, B023, B025, B041: on a page that kept half of it, and on one that kept nothing."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    before = chat.messages()
    other = tab().open(chat.sid, wait=False)
    chat.reload(wait=False)

    MOMENTS[moment](other)
    script.release()
    for page in (chat, other):
        page.ready()
        page.in_front()
        page.shows(WHOLE)
        page.ended("complete")
        page.idle()
        assert page.messages() == before
        assert page.failures_seen() == []
        seen = page.offsets_seen()
        assert seen == sorted(seen)
        assert page.endings_seen() == [f"done {len(WHOLE)}"]
    assert len(provider.calls) == 1


def test_a_page_that_cannot_keep_up_is_never_told_the_end_before_the_whole(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B028, B177: 200,000 characters at once, and a page that does not listen meanwhile."""
    script = held_after(provider, 1, chunks=BURST)
    chat.say("As fast as you can")
    chat.shows(BURST[0])
    chat.page.evaluate(
        """blocked => void setTimeout(() => {
          const until = performance.now() + blocked;
          while (performance.now() < until);
        })""",
        BLOCKED_MS,
    )
    script.release()
    chat.holds("".join(BURST))
    chat.ended("complete")
    chat.idle()
    assert chat.endings_seen() == [f"done {len(''.join(BURST))}"]
    assert chat.failures_seen() == []


def test_a_burst_is_shown_within_two_seconds_and_is_there_at_once_after_a_reload(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B177: nothing is typed out again."""
    whole = "".join(BURST)
    script = held_after(provider, 1, chunks=BURST)
    chat.say("As fast as you can")
    chat.shows(BURST[0])
    script.release()
    eventually_sync(lambda: provider.calls[0].ended, within=5)
    chat.holds(whole, within=2)
    chat.ended("complete")
    chat.reload()
    assert chat.holds_now(whole)
    assert chat.offsets_seen() == [len(whole)]
