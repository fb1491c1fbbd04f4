"""Ten tabs on one session show the same, and cost the server one subscription to its text."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import CHUNKS, WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.tabs.leading import (
    in_mid_answer,
    is_whole,
    leader_of,
    one_is_brought_text,
    others,
    role,
    tabs_on,
    text_frames,
    watching,
)
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

NOTE_OFFSETS = """() => {
  window.offsetsAt = {};
  new MutationObserver(() => {
    const answer = [...document.querySelectorAll('[data-testid="answer"]')].at(-1);
    window.offsetsAt[answer?.dataset.offset] ??= performance.timeOrigin + performance.now();
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-offset"] });
}"""

LOOSE_MS = 2000
"""200 ms are promised of a machine that is at rest; one with much to do is not what fails this test."""


def test_a_lone_tab_leads_and_says_nothing_of_it(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    provider.say(*CHUNKS)
    sent: list[str] = []
    chat.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    chat.reload()
    chat.say("Count for me")
    chat.shows(WHOLE)
    chat.ended("complete")
    assert role(chat) == "leading"
    assert watching(app) == (1, 1)
    assert sent
    assert not [frame for frame in sent if "tabs" in frame]


def test_ten_tabs_are_one_subscription_and_show_the_same_at_once(
    chat: ChatPage,
    provider: ScriptedProvider,
    tab: Tab,
    app: AppUnderTest,
) -> None:
    """Cases B115, B123."""
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 10)
    one_is_brought_text(app, 10)
    leader = leader_of(pages)
    heard = {id(page): len(page.heard) for page in pages}
    for page in pages:
        page.page.evaluate(NOTE_OFFSETS)

    script.release()
    for page in pages:
        page.holds(so_far(30))
    assert text_frames(leader, heard[id(leader)])
    offset = str(len(so_far(30)))
    shown = [page.page.evaluate("offset => window.offsetsAt[offset]", offset) for page in pages]
    assert max(shown) - min(shown) < LOOSE_MS

    script.release()
    is_whole(pages, provider)
    for page in others(pages, leader):
        assert text_frames(page, heard[id(page)]) == [], "a mirror is sent no text, at the end neither"


def test_what_is_sent_in_a_mirror_is_answered_in_every_tab(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    """Cases B115, B119, B121: four tabs one after the other, and each sends; no bubble stays `sending`."""
    provider.say("First.")
    chat.say("One?")
    chat.shows("First.")
    pages = [chat, *(tab().open(chat.named()) for _ in range(3))]
    leader_of(pages)
    for number, page in enumerate(pages):
        script = provider.script().say("Answer ").hold().say(f"{number}.")
        page.in_front()
        page.idle()
        page.say(f"Question {number}?")
        for each in pages:
            each.holds("Answer ")
            expect(each.outbox).to_have_count(0)
        script.release()
        for each in pages:
            each.holds(f"Answer {number}.")
            each.ended("complete")
    ids = [message.id for message in chat.messages()]
    assert len(ids) == 10
    for page in pages:
        assert [message.id for message in page.messages()] == ids
        page.no_failure()
        assert page.most_sockets() == 1


def test_a_stop_in_a_mirror_ends_the_answer_in_every_tab(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 3)
    mirror = others(pages, leader_of(pages))[0]
    mirror.in_front()
    mirror.stop()
    for page in pages:
        page.in_front()
        page.shows(so_far(20))
        page.ended("stopped")
        page.idle()


def test_twelve_tabs_load_over_plain_http_with_one_long_connection_each(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, app: AppUnderTest
) -> None:
    """Cases B123, B124: each loads at once, the last one sends, and a leader that is closed leaves no gap."""
    provider.say("First.")
    chat.say("One?")
    chat.shows("First.")
    pages = [chat, *(tab().open(chat.named()) for _ in range(11))]
    assert all(page.most_sockets() == 1 for page in pages)
    leader = leader_of(pages)
    one_is_brought_text(app, 12)

    script = held_after(provider, 20)
    pages[-1].in_front()
    pages[-1].say("Count for me")
    for page in pages:
        page.holds(so_far(20))
    left = others(pages, leader)
    leader.page.close()
    script.release()
    for page in left:
        page.holds(WHOLE)
        page.ended("complete")
    leader_of(left)
    eventually_sync(lambda: watching(app) == (11, 1))


def test_two_browsers_of_one_owner_have_a_leader_each(
    chat: ChatPage,
    provider: ScriptedProvider,
    tab: Tab,
    app: AppUnderTest,
    second_device: Callable[[ChatPage], ChatPage],
) -> None:
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 2)
    device = second_device(chat).open(chat.sid)
    device.shows(so_far(20))
    assert role(device) == "leading"
    eventually_sync(lambda: watching(app) == (3, 2))
    script.release(2)
    is_whole([*pages, device], provider)


@pytest.mark.parametrize("count", [2, 5])
def test_a_tab_that_comes_in_mid_answer_has_all_of_it(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, count: int
) -> None:
    """While the provider says nothing more, too: it does not wait for the next piece."""
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, count)
    script.release()
    for page in pages:
        page.holds(so_far(30))
    late = tab().open(chat.sid)
    late.shows(so_far(30))
    leader_of([*pages, late])
    script.release()
    is_whole([*pages, late], provider)
