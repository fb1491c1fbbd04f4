"""Links that die without a word: the page notices, says so in one line, and stands complete afterwards."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.refresh.answers import CHUNKS, WHOLE, held_after, so_far
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine

NOTICED_MS = 10_000
"""From the silence to the line that tells of it, or to the text on a new connection."""

WOKEN_SECONDS = 5.0

MENDED_MS = 12_000
"""From the mended network to the whole text: an opening that hangs is given up after eight seconds."""


@pytest.fixture
def chat(provider: ScriptedProvider, line: SlowLine, context: BrowserContext) -> ChatPage:
    """In front of the line."""
    return ChatPage(context.new_page(), line.url).open()


def is_linked(chat: ChatPage, *, within: int = MENDED_MS) -> None:
    connection = chat.element("connection")
    expect(connection).to_have_attribute("data-state", "connected", timeout=within)
    expect(connection).to_be_empty()


def is_whole_and_once(chat: ChatPage, provider: ScriptedProvider, *, within: int = MENDED_MS) -> None:
    chat.shows(WHOLE, within=within / 1000)
    chat.ended("complete")
    chat.no_failure()
    is_linked(chat)
    assert len(chat.messages()) == 2
    assert len(provider.calls) == 1
    assert chat.documents() == 1
    assert chat.wishes == ["send"]


def test_a_half_open_socket_is_given_up_and_the_text_goes_on(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B129, B133, B139: no end ever comes through; a new socket stands in the same session."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    opened = line.opened
    line.fall_silent()
    script.release()

    is_whole_and_once(chat, provider, within=NOTICED_MS)
    assert line.opened == opened + 1


def test_a_cut_is_told_in_one_line_and_made_good_when_it_is_over(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B127, B131: trouble of the link is never a turn that failed."""
    script = held_after(provider, 20, 30)
    chat.say("Count for me")
    chat.shows(so_far(20))
    line.go_dark()
    script.release()
    expect(chat.element("connection")).to_contain_text("Reconnecting", timeout=NOTICED_MS + 2000)
    chat.shows(so_far(20))
    chat.no_failure()
    assert chat.page.locator("dialog, [role=dialog], [role=alertdialog]").count() == 0

    line.mend()
    chat.shows(so_far(30), within=MENDED_MS / 1000)
    script.release()
    is_whole_and_once(chat, provider)


def test_what_a_cut_missed_is_all_that_comes_after_it(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B019: what the page holds, of this answer and of those before, does not come again."""
    provider.say(*CHUNKS * 20)
    chat.say("A long one before")
    chat.ended("complete")
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    heard = len(chat.heard)
    line.fall_silent()
    script.release()
    chat.shows(WHOLE, within=NOTICED_MS / 1000)
    chat.ended("complete")

    news = chat.heard[heard:]
    assert sum(map(len, news)) <= 20_000
    text = "".join(news)
    assert text.count("chunk 5, ") == 0
    assert text.count("chunk 33, ") == 1


def test_a_send_into_a_dead_link_is_offered_again(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B134, I6: nothing says that the click went nowhere, but the server does not know its key."""
    chat.watch_for("Are you there?")
    line.fall_silent()
    chat.say("Are you there?")
    expect(chat.outbox).to_have_attribute("data-state", "unsent", timeout=NOTICED_MS + 2000)
    assert provider.calls == []

    provider.say("Yes.")
    chat.element("outbox-send").click()
    chat.shows("Yes.")
    chat.ended("complete")
    assert len(provider.calls) == 1
    assert chat.places_seen()[-1] == 1
    assert max(chat.places_seen()) == 1


def test_a_stop_into_a_dead_link_can_be_pressed_again(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    line.fall_silent()
    chat.stop()
    expect(chat.element("stop")).to_be_disabled()
    expect(chat.element("stop")).to_be_enabled(timeout=NOTICED_MS + 2000)
    is_linked(chat)

    chat.stop()
    chat.ended("stopped")
    chat.shows(so_far(20))


def test_waking_is_one_question_however_many_events_tell_of_it(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B129: all three at once, on a link that lives and on one that died meanwhile."""
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    opened = line.opened
    chat.page.evaluate(WAKE)
    is_linked(chat)
    assert line.opened == opened

    line.fall_silent()
    chat.page.evaluate(WAKE)
    eventually_sync(lambda: line.opened == opened + 1, within=WOKEN_SECONDS)
    is_linked(chat)
    chat.shows(so_far(20))
    assert line.opened == opened + 1


def test_a_frozen_tab_is_right_soon_after_it_wakes(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B127, B129: the server ends the socket of a tab that does not answer."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    tab = chat.page.context.new_cdp_session(chat.page)
    tab.send("Page.setWebLifecycleState", {"state": "frozen"})
    script.release()
    tab.send("Page.setWebLifecycleState", {"state": "active"})
    is_whole_and_once(chat, provider)


def test_offline_is_said_and_over_when_it_is(chat: ChatPage, provider: ScriptedProvider) -> None:
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    chat.page.context.set_offline(True)
    expect(chat.element("connection")).to_contain_text("offline")
    chat.composer.fill("Not now")
    chat.composer.press("Enter")
    expect(chat.composer).to_have_value("Not now")
    chat.page.context.set_offline(False)
    script.release()
    is_whole_and_once(chat, provider)
    expect(chat.composer).to_have_value("Not now")


@pytest.mark.parametrize("last", range(35, 40))
def test_a_cut_around_the_last_chunk_leaves_no_hole(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine, last: int
) -> None:
    """Case B131: `connected` is said when the page has caught up."""
    script = held_after(provider, last)
    chat.say("Count for me")
    chat.shows(so_far(last))
    line.break_off()
    script.release()
    is_linked(chat)
    chat.ended("complete")
    is_whole_and_once(chat, provider)


WAKE = """() => {
  document.dispatchEvent(new Event("visibilitychange"));
  window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  window.dispatchEvent(new Event("online"));
}"""
