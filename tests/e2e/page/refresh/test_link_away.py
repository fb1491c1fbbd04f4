"""The network is away for seconds or minutes, loudly or silently; the page's clock runs ahead meanwhile."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine

MENDED_SECONDS = 10.0
"""Chromium itself holds a socket back for up to five seconds when many failed before it."""

MENDED_AFTER_LONG_SECONDS = 25.0
"""After hundreds of failed openings it holds several back, one after the other."""

MOST_OPENINGS = 25
"""Of a page that finds nobody for half a minute."""

WAKE = """() => {
  document.dispatchEvent(new Event("visibilitychange"));
  window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  window.dispatchEvent(new Event("online"));
}"""


def is_whole_and_once(chat: ChatPage, provider: ScriptedProvider) -> None:
    chat.shows(WHOLE)
    chat.ended("complete")
    expect(chat.element("connection")).to_have_attribute("data-state", "connected")
    expect(chat.element("connection")).to_be_empty()
    chat.idle()
    chat.no_failure()
    assert [message.role for message in chat.messages()] == ["user", "assistant"]
    assert (chat.wishes, len(provider.calls), chat.documents()) == (["send"], 1, 1)
    assert chat.most_sockets() == 1


@pytest.mark.parametrize(
    ("leave", "seconds"),
    [(SlowLine.cut, 2), (SlowLine.cut, 30), (SlowLine.cut, 600), (SlowLine.go_dark, 180)],
    ids=["cut 2 s", "cut 30 s", "cut 10 min", "half-open 3 min"],
)
def test_a_network_that_was_away_costs_nothing(
    far_chat: ChatPage,
    provider: ScriptedProvider,
    line: SlowLine,
    leave: Callable[[SlowLine], None],
    seconds: float,
) -> None:
    """Cases B127, B129, B131: one opening at a time, and no more of them than a server can bear."""
    script = held_after(provider, 20, 30)
    far_chat.say("Count for me")
    far_chat.shows(so_far(20))
    sockets = far_chat.sockets
    leave(line)
    script.release()
    if leave is SlowLine.cut:
        expect(far_chat.element("connection")).to_have_attribute("data-state", "reconnecting")
    far_chat.passes(seconds, hop=2.0 if seconds > 30 else 0.25)
    far_chat.shows(so_far(20))
    if seconds > 2:
        expect(far_chat.element("connection")).to_contain_text("Reconnecting")
    far_chat.no_failure()
    if seconds <= 30:
        assert far_chat.sockets - sockets <= MOST_OPENINGS

    line.mend()
    far_chat.passes(3 if leave is SlowLine.cut else 8)
    within = MENDED_SECONDS if seconds <= 30 else MENDED_AFTER_LONG_SECONDS
    far_chat.shows(so_far(30), within=within)
    script.release()
    is_whole_and_once(far_chat, provider)


@pytest.mark.parametrize("leave", [SlowLine.fall_silent, SlowLine.break_off])
def test_a_page_that_slept_is_right_soon_after_it_wakes(
    far_chat: ChatPage, provider: ScriptedProvider, line: SlowLine, leave: Callable[[SlowLine], None]
) -> None:
    """Cases B127, B129: an hour of sleep on a socket that died, and then everything wakes it at once."""
    script = held_after(provider, 20)
    far_chat.say("Count for me")
    far_chat.shows(so_far(20))
    tab = far_chat.page.context.new_cdp_session(far_chat.page)
    tab.send("Page.setWebLifecycleState", {"state": "frozen"})
    opened = line.opened
    leave(line)
    script.release()
    tab.send("Page.setWebLifecycleState", {"state": "active"})
    far_chat.page.clock.fast_forward(3_600_000)
    far_chat.page.evaluate(WAKE)

    far_chat.shows(WHOLE, within=4.0)
    is_whole_and_once(far_chat, provider)
    eventually_sync(lambda: line.opened > opened)
    # An opening that was under way when the page fell asleep has run out of time when it wakes.
    assert line.opened <= opened + 2
