"""The line between page and server breaks in mid-answer, and comes back; the page is never reloaded."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.refresh.answers import CHUNKS, WHOLE, held_after, so_far
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine

LIVE_WITHIN_SECONDS = 5.0
"""Case B050: how long after the line is back the text goes on."""


@pytest.fixture
def chat(provider: ScriptedProvider, line: SlowLine, context: BrowserContext) -> ChatPage:
    """Behind the line that breaks."""
    return ChatPage(context.new_page(), line.url).open()


def breaks(chat: ChatPage, line: SlowLine) -> None:
    """The page has noticed: it is not restored for now."""
    line.cut()
    expect(chat.element("connection")).to_have_attribute("data-state", "reconnecting")


def comes_back(chat: ChatPage, line: SlowLine) -> None:
    line.mend()
    expect(chat.element("connection")).to_have_attribute("data-state", "connected")
    chat.ready()


def test_a_line_that_breaks_three_times_repeats_nothing_and_loses_nothing(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B015, B021, B047, B050: reasoning once, text once."""
    script = provider.script().reason("A thought. ")
    for number in range(0, 40, 5):
        script.say(*CHUNKS[number : number + 5]).hold()
    chat.say("Count for me")
    chat.holds("A thought. " + so_far(5))
    before = chat.messages()

    for count in (5, 15, 25):
        breaks(chat, line)
        chat.holds("A thought. " + so_far(count))
        script.release()
        script.held_sync(count // 5 + 1)
        comes_back(chat, line)
        chat.holds("A thought. " + so_far(count + 5), within=LIVE_WITHIN_SECONDS)
        chat.busy()
        script.release()
        chat.holds("A thought. " + so_far(count + 10))
    script.release(3)
    chat.ended("complete")
    assert chat.text_of(chat.answers) == WHOLE.rstrip()

    expect(chat.element("reasoning")).to_have_count(1)
    assert chat.messages() == before
    assert (chat.failures_seen(), chat.documents()) == ([], 1)
    seen = chat.offsets_seen()
    assert seen == sorted(seen)
    assert chat.sockets <= 1 + 3 * 4
    assert (chat.wishes, len(provider.calls)) == (["send"], 1)


def test_what_the_page_shows_does_not_travel_again_when_the_line_is_back(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B016, B019: the page is asked for its place when it connects, and gets the rest, once."""
    script = held_after(provider, 20, 30)
    chat.say("Count for me")
    chat.shows(so_far(20))
    chat.kept()
    chat.heard.clear()

    breaks(chat, line)
    script.release()
    script.held_sync(2)
    comes_back(chat, line)
    chat.shows(so_far(30))
    script.release()
    chat.shows(WHOLE)
    heard = "".join(chat.heard)
    times = [heard.count(f"chunk {number}, ") for number in range(1, 41)]
    assert times == [0] * 20 + [1] * 20


def test_an_answer_that_ends_while_the_line_is_cut_is_whole_and_at_rest_when_it_is_back(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine, app: AppUnderTest
) -> None:
    """Case B027, B042, B048: the last words and the end itself were told to nobody."""
    script = held_after(provider, 37)
    chat.say("Count for me")
    chat.shows(so_far(37))
    breaks(chat, line)
    script.release()
    task = f"{app.url}/api/tasks/{chat.answers.last.get_attribute('data-task-id')}"
    eventually_sync(lambda: chat.page.context.request.get(task).json()["state"] == "done")
    chat.shows(so_far(37))

    comes_back(chat, line)
    chat.shows(WHOLE, within=LIVE_WITHIN_SECONDS)
    chat.ended("complete")
    chat.idle()
    assert (chat.failures_seen(), chat.documents()) == ([], 1)
    assert chat.endings_seen() == [f"done {len(WHOLE)}"]


def test_a_line_that_breaks_while_nothing_runs_changes_nothing(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B022, B039, B047: twice, and then no socket opens any more."""
    provider.say(*CHUNKS)
    chat.say("Count for me")
    chat.shows(WHOLE)
    chat.ended("complete")
    expect(chat.element("session-item")).to_have_count(1)
    before, place, shifts = chat.messages(), chat.scroll_place(), chat.layout_shifts()

    for _ in range(2):
        breaks(chat, line)
        chat.shows(WHOLE)
        comes_back(chat, line)
        chat.shows(WHOLE)
        chat.idle()
    assert chat.messages() == before
    assert chat.scroll_place() == place
    assert (chat.failures_seen(), chat.layout_shifts(), chat.documents()) == ([], shifts, 1)
    assert chat.endings_seen() == [f"done {len(WHOLE)}"]
    assert (chat.wishes, len(provider.calls)) == (["send"], 1)


def test_a_new_page_stays_new_when_the_line_is_back_whatever_other_tabs_did(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B047, B161: the bare address leads to the recent session when it is opened, not afterwards."""
    chat.composer.fill("Something new")
    other = ChatPage(chat.page.context.new_page(), line.url).open()
    provider.say("Hello.")
    other.say("Hello?")
    other.shows("Hello.")
    chat.in_front()
    breaks(chat, line)
    comes_back(chat, line)
    assert (chat.sid, chat.messages(), chat.documents()) == ("", [], 1)
    expect(chat.composer).to_have_value("Something new")
    chat.reload()
    chat.ready(other.sid)
