"""The leader goes in mid-answer, in every way: another tab goes on, with each character once."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Error

from tests.e2e.page.refresh.answers import WHOLE, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.tabs.leading import (
    GOES_ON_SECONDS,
    in_mid_answer,
    is_whole,
    leader_of,
    one_is_brought_text,
    others,
    role,
    tabs_on,
    text_frames,
)
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider

HANG_MS = 8000
FROZEN_MS = 6000
HANG = "ms => setTimeout(() => { const end = Date.now() + ms; while (Date.now() < end); })"
FREEZE = """ms => setTimeout(() => {
  document.dispatchEvent(new Event("freeze"));
  const end = Date.now() + ms;
  while (Date.now() < end);
  document.dispatchEvent(new Event("resume"));
})"""
"""What a browser does with a tab that it freezes: it says so and runs nothing more. Without a window each tab
counts as seen, and none can be frozen by command."""

HIDDEN = """hidden => {
  const value = hidden ? "hidden" : "visible";
  Object.defineProperty(document, "visibilityState", { value, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def close(leader: ChatPage) -> None:
    leader.page.close()


def crash(leader: ChatPage) -> None:
    with suppress(Error):
        leader.page.goto("chrome://crash")


def leave(leader: ChatPage) -> None:
    leader.page.goto("data:text/html,<title>elsewhere</title>")


def freeze(tab: ChatPage) -> None:
    tab.page.evaluate(FREEZE, FROZEN_MS)


@pytest.mark.parametrize("go", [close, crash, leave, freeze])
def test_the_others_go_on_where_they_stood(
    chat: ChatPage,
    provider: ScriptedProvider,
    tab: Tab,
    app: AppUnderTest,
    go: Callable[[ChatPage], None],
) -> None:
    """Cases B115, B123."""
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 4)
    leader = leader_of(pages)
    left = others(pages, leader)
    heard = [len(page.heard) for page in left]

    go(leader)
    script.release()
    for page in left:
        page.holds(so_far(30), within=GOES_ON_SECONDS)
    leader_of(left)
    told = ["".join(text_frames(page, since)) for page, since in zip(left, heard, strict=True)]
    assert any("chunk 25, " in each for each in told)
    assert not any("chunk 20, " in each for each in told), "a change of leader sends no whole text again"
    script.release()
    is_whole(left, provider)


def test_a_leader_that_hangs_is_robbed_and_mirrors_when_it_is_back(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, app: AppUnderTest
) -> None:
    """It says nothing of its going, and has the lock: only its silence tells."""
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 3)
    leader = leader_of(pages)
    left = others(pages, leader)

    leader.page.evaluate(HANG, HANG_MS)
    script.release()
    for page in left:
        page.holds(so_far(30), within=GOES_ON_SECONDS)
    leader_of(left)
    leader.holds(so_far(30), within=HANG_MS / 1000 + 5)
    assert role(leader_of(pages)) == "leading"
    one_is_brought_text(app, 3)
    script.release()
    is_whole(pages, provider)


def test_a_leader_that_is_killed_after_it_took_text_and_before_it_told_anybody(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    """The next leader is brought what it lacks itself, and tells the others."""
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 3)
    leader = leader_of(pages)
    left = others(pages, leader)
    leader.page.evaluate("BroadcastChannel.prototype.postMessage = () => {}")
    script.release()
    leader.holds(so_far(30))
    assert [page.holds_now(so_far(20)) for page in left] == [True, True]

    crash(leader)
    for page in left:
        page.holds(so_far(30), within=GOES_ON_SECONDS)
    script.release()
    is_whole(left, provider)


def test_each_of_five_leaders_in_one_answer_loses_nothing(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    chunks = tuple(f"chunk {number}, " for number in range(1, 26))
    script = provider.script()
    for number, chunk in enumerate(chunks):
        script.say(chunk)
        if number % 5 == 4 and number < 24:
            script.hold()
    chat.say("Count for me")
    chat.holds("".join(chunks[:5]))
    left = [chat, *(tab().open(chat.named()) for _ in range(4))]
    for said in (10, 15, 20, 25):
        leader = leader_of(left)
        left = others(left, leader)
        script.release()
        leader.page.close()
        for page in left:
            page.holds("".join(chunks[:said]), within=GOES_ON_SECONDS)
    is_whole(left, provider, "".join(chunks))


def test_a_tab_that_is_seen_takes_the_lead_of_one_that_is_hidden(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, app: AppUnderTest
) -> None:
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 3)
    leader = leader_of(pages)
    for page in [*others(pages, leader), leader]:
        page.page.evaluate(HIDDEN, True)
    assert leader_of(pages) is leader, "none is seen: there is nothing to gain"

    seen = others(pages, leader)[0]
    seen.page.evaluate(HIDDEN, False)
    eventually_sync(lambda: role(seen) == "leading")
    assert leader_of(pages) is seen
    one_is_brought_text(app, 3)
    script.release(2)
    is_whole(pages, provider)


def test_a_leader_that_is_reloaded_comes_back_to_all_of_the_text(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 3)
    leader = leader_of(pages)
    script.release()
    leader.reload()
    assert leader.holds_now(so_far(30)) or leader.holds_now(so_far(20))
    for page in pages:
        page.holds(so_far(30), within=GOES_ON_SECONDS)
    leader_of(pages)
    script.release()
    is_whole(pages, provider)


def test_a_tab_that_was_away_for_twenty_chunks_shows_them_at_once(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B180: frozen as a leader, frozen as a mirror, and back."""
    script = in_mid_answer(chat, provider)
    pages = tabs_on(chat, tab, 3)
    leader = leader_of(pages)
    mirror = others(pages, leader)[0]
    for page in (leader, mirror):
        freeze(page)
    script.release(2)
    other = others(others(pages, leader), mirror)[0]
    other.holds(WHOLE, within=GOES_ON_SECONDS)
    for page in (leader, mirror):
        page.holds(WHOLE, within=FROZEN_MS / 1000 + 5)
    is_whole(pages, provider)


def test_a_restarted_server_leaves_one_leader(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab, app: AppUnderTest
) -> None:
    provider.say("First.")
    chat.say("One?")
    chat.shows("First.")
    pages = [chat, *(tab().open(chat.named()) for _ in range(3))]
    leader_of(pages)
    app.kill()
    app.start()
    leader_of(pages, within=20.0)
    one_is_brought_text(app, 4)
    provider.say("Second.")
    pages[-1].in_front()
    pages[-1].say("Two?")
    for page in pages:
        page.holds("Second.")
