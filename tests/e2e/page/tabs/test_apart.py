"""Tabs that have nothing to do with each other, or cannot: other sessions, copies, browsers without locks."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.tabs.leading import (
    in_mid_answer,
    is_whole,
    leader_of,
    one_is_brought_text,
    others,
    role,
    tabs_on,
    watching,
)
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

OTHER_CHUNKS = tuple(f"piece {number}; " for number in range(1, 41))
OTHER_WHOLE = "".join(OTHER_CHUNKS)

NEXT_SENDS = """() => {
  const post = BroadcastChannel.prototype.postMessage;
  window.lost = 0;
  BroadcastChannel.prototype.postMessage = function (message) {
    if (message.chunks && !message.to) window.lost += 1;
    else post.call(this, message);
  };
}"""
"""What the leader tells of its own accord is lost on the way."""

DEAF = "() => { BroadcastChannel.prototype.postMessage = () => {}; }"


def test_two_sessions_in_two_tabs_never_mix(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, app: AppUnderTest
) -> None:
    """Cases B119, B178: both write at once, and both are reloaded meanwhile; each has two tabs."""
    first = held_after(provider, 20, 30)
    chat.say("Count for me")
    chat.shows(so_far(20))
    other = tab().open()
    other.element("new-session").click()
    other.ready("new")
    second = held_after(provider, 20, 30, chunks=OTHER_CHUNKS)
    other.say("Count others for me")
    other.holds("".join(OTHER_CHUNKS[:20]))
    pairs = [chat, tab().open(chat.named())], [other, tab().open(other.named())]
    assert chat.sid != other.sid
    eventually_sync(lambda: watching(app) == (4, 2))

    first.release()
    second.release()
    for page in pairs[0]:
        page.holds(so_far(30))
    for page in pairs[1]:
        page.holds("".join(OTHER_CHUNKS[:30]))
    chat.reload()
    other.reload()
    first.release()
    second.release()
    for page in pairs[0]:
        page.in_front()
        page.shows(WHOLE)
        page.ended("complete")
        expect(page.element("message").get_by_text("piece")).to_have_count(0)
    for page in pairs[1]:
        page.in_front()
        page.shows(OTHER_WHOLE)
        page.ended("complete")
        expect(page.element("message").get_by_text("chunk")).to_have_count(0)
        expect(page.outbox).to_have_count(0)


def test_a_tab_that_turns_to_another_session_leaves_the_lead_and_takes_the_other(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, app: AppUnderTest
) -> None:
    """Case B178: from session to session within one document, as a leader and as a mirror."""
    provider.say("Elsewhere.")
    chat.say("One?")
    chat.shows("Elsewhere.")
    elsewhere = chat.named()
    chat.element("new-session").click()
    chat.ready("new")
    script = in_mid_answer(chat, provider)
    here = chat.named()
    pages = tabs_on(chat, tab, 3)
    leader = leader_of(pages)
    mirror = others(pages, leader)[0]
    for page in (leader, mirror):
        page.in_front()
        page.page.locator(f"[data-session-id='{elsewhere}']").first.click()
        page.ready(elsewhere)
        page.shows("Elsewhere.")
    leader_of([leader, mirror])
    script.release()
    left = others(others(pages, leader), mirror)[0]
    left.holds(so_far(30))
    assert role(left) == "leading"
    for page in (leader, mirror):
        page.page.go_back()
        page.ready(here)
        page.holds(so_far(30))
    leader_of(pages)
    one_is_brought_text(app, 3)
    script.release()
    for page in pages:
        page.in_front()
        page.shows(WHOLE)
        page.ended("complete")


@pytest.mark.parametrize("lacking", ["navigator.locks", "BroadcastChannel"])
def test_without_these_apis_every_tab_leads(
    chat: ChatPage,
    provider: ScriptedProvider,
    context: BrowserContext,
    tab: Tab,
    app: AppUnderTest,
    lacking: str,
) -> None:
    context.add_init_script(
        "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined });"
        if lacking == "navigator.locks"
        else "delete window.BroadcastChannel;"
    )
    chat.reload()
    script = in_mid_answer(chat, provider)
    pages = [chat, *(tab().open(chat.named()) for _ in range(2))]
    assert [role(page) for page in pages] == ["alone"] * 3
    assert watching(app) == (3, 3)
    script.release(2)
    is_whole(pages, provider)


def test_a_duplicated_tab_has_a_life_of_its_own(
    chat: ChatPage, provider: ScriptedProvider, context: BrowserContext, app: AppUnderTest
) -> None:
    """Case B121: all that the tab kept was copied with it, its name among it."""
    script = in_mid_answer(chat, provider)
    chat.named()
    with context.expect_page() as opened:
        chat.page.evaluate("() => { window.open(location.href); }")
    copy = ChatPage(opened.value, app.url).ready(chat.sid)
    copied, kept = (page.page.evaluate("window.documentName") for page in (copy, chat))
    assert copied != kept
    leader_of([chat, copy])
    one_is_brought_text(app, 2)
    copy.page.reload()
    copy.ready(chat.sid)
    script.release()
    for page in (chat, copy):
        page.holds(so_far(30))
    chat.page.close()
    script.release()
    is_whole([copy], provider)


@pytest.mark.parametrize("lost", [NEXT_SENDS, DEAF], ids=["the news", "every word"])
def test_what_is_lost_between_tabs_is_asked_for(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, lost: str
) -> None:
    """The beat of the leader tells of a hole, or the server of the end; a silent leader is robbed."""
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 3)
    leader = leader_of(pages)
    leader.page.evaluate(lost)
    script.release()
    for page in pages:
        page.holds(so_far(30), within=5.0)
    script.release()
    is_whole(pages, provider)


def test_at_the_end_a_mirror_that_heard_nothing_asks_the_server(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    """The leader beats and answers, and never says a text: the mark of the end tells what is lacking."""
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 2)
    leader = leader_of(pages)
    leader.page.evaluate(
        """() => {
          const post = BroadcastChannel.prototype.postMessage;
          BroadcastChannel.prototype.postMessage = function (message) {
            post.call(this, message.chunks ? { ...message, chunks: [] } : message);
          };
        }"""
    )
    script.release(2)
    is_whole(pages, provider)
    assert leader_of(pages) is leader


def test_two_browsers_on_one_session_do_not_hear_each_other(
    chat: ChatPage,
    provider: ScriptedProvider,
    tab: Tab,
    second_device: Callable[[ChatPage], ChatPage],
) -> None:
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 2)
    device = second_device(chat).open(chat.sid)
    leader_of(pages)
    for page in pages:
        page.page.close()
    script.release(2)
    is_whole([device], provider)
