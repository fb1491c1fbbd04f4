"""Every way back to a page in mid-answer ends at the same place: history, tabs, addresses."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import WINDOW, Tab
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until

ELSEWHERE = "data:text/html,<title>elsewhere</title>"


@pytest.fixture
def script(chat: ChatPage, provider: ScriptedProvider) -> Script:
    """The page `chat` is in mid-answer, and the provider held."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    return script


def goes_on(script: Script, provider: ScriptedProvider, *pages: ChatPage) -> None:
    """What was shown is shown; then it becomes whole, with one call and two messages."""
    for page in pages:
        page.shows(so_far(20))
        page.busy()
    script.release()
    for page in pages:
        page.shows(WHOLE)
        page.ended("complete")
        page.idle()
        page.no_failure()
        assert [message.role for message in page.messages()] == ["user", "assistant"]
    assert len(provider.calls) == 1


def test_leaving_and_going_back_in_history(
    chat: ChatPage, script: Script, provider: ScriptedProvider
) -> None:
    chat.page.goto(ELSEWHERE)
    chat.page.go_back(wait_until="commit")
    chat.ready()
    goes_on(script, provider, chat)


def test_going_back_and_forward_again(chat: ChatPage, script: Script, provider: ScriptedProvider) -> None:
    sid = chat.sid
    chat.page.goto(ELSEWHERE)
    chat.open(sid)
    chat.page.go_back(wait_until="load")
    chat.page.go_forward(wait_until="commit")
    chat.ready(sid)
    goes_on(script, provider, chat)


def test_a_tab_that_was_closed_opens_by_its_address(
    chat: ChatPage, script: Script, provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B006: a reader that goes ends nothing."""
    sid = chat.sid
    chat.page.close()
    goes_on(script, provider, tab().open(sid))


def test_a_tab_that_was_closed_opens_by_the_bare_address(
    chat: ChatPage, script: Script, provider: ScriptedProvider, tab: Tab
) -> None:
    """The recent session is opened, and named in the URL."""
    sid = chat.sid
    chat.page.close()
    again = tab().open()
    assert again.sid == sid
    goes_on(script, provider, again)


def test_an_answer_that_ended_while_no_tab_was_open_is_there(
    chat: ChatPage, script: Script, provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B006."""
    sid = chat.sid
    chat.page.close()
    script.release()
    again = tab().open(sid)
    again.shows(WHOLE)
    again.ended("complete")
    assert provider.calls[0].disconnected_at is None
    assert len(provider.calls) == 1


@pytest.fixture
def other_browser(browser: Browser) -> Iterator[BrowserContext]:
    """Another browser, which remembers nothing."""
    context = browser.new_context(viewport=WINDOW)
    yield context
    context.close()


def test_another_browser_of_the_same_owner_shows_the_same(
    chat: ChatPage, script: Script, provider: ScriptedProvider, other_browser: BrowserContext
) -> None:
    other_browser.add_cookies(
        [
            {"name": cookie["name"], "value": cookie["value"], "url": chat.url}
            for cookie in chat.page.context.cookies()
        ]
    )
    other = ChatPage(other_browser.new_page(), chat.url).open(chat.sid)
    assert other.messages() == chat.messages()
    goes_on(script, provider, other, chat)


def test_two_tabs_show_the_same_and_both_grow(
    chat: ChatPage, script: Script, provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B025: a tab that comes late misses nothing."""
    other = tab().open(chat.sid)
    other.shows(so_far(20))
    goes_on(script, provider, chat, other)


@pytest.mark.parametrize("named", ["foreign", "unknown"])
def test_a_session_that_is_not_ones_own_is_an_empty_page_with_a_notice(
    chat: ChatPage, script: Script, other_browser: BrowserContext, named: str
) -> None:
    """Foreign and unknown ids are told apart by nothing."""
    sid = chat.sid if named == "foreign" else "0190a0a0-0000-7000-8000-000000000000"
    stranger = ChatPage(other_browser.new_page(), chat.url).open(sid)
    expect(stranger.element("notice")).to_contain_text("does not exist, or it is not yours")
    assert stranger.messages() == []
    expect(stranger.element("session-item")).to_have_count(0)
    stranger.idle()


def test_a_page_out_of_the_back_forward_cache_is_alive(
    launch: Callable[..., Browser], app: AppUnderTest, provider: ScriptedProvider
) -> None:
    """Case B139: what was said meanwhile comes, without a new document."""
    script = held_after(provider, 20)
    browser = launch(whole=True, ignore_default_args=["--disable-back-forward-cache"])
    try:
        chat = ChatPage(browser.new_page(viewport=WINDOW), app.url).open()
        chat.say("Count for me")
        chat.shows(so_far(20))
        chat.page.evaluate("addEventListener('pageshow', (shown) => (window.cameBack = shown.persisted))")
        chat.page.goto(ELSEWHERE)
        script.release()
        chat.page.go_back(wait_until="commit")
        until(chat.page, "window.cameBack")
        chat.shows(WHOLE)
        chat.ended("complete")
        chat.idle()
        assert chat.documents() == 1
        assert (chat.wishes, chat.posts, len(provider.calls)) == (["send"], [], 1)
    finally:
        browser.close()


def test_the_first_send_names_the_session_in_the_url_without_a_navigation(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B184: and a new session and history go where they say."""
    entries = chat.page.evaluate("history.length")
    provider.say("First answer.")
    chat.say("First")
    chat.shows("First answer.")
    first = chat.sid
    assert first
    assert chat.page.evaluate("history.length") == entries
    assert chat.documents() == 1

    chat.element("new-session").click()
    expect(chat.answers).to_have_count(0)
    chat.ready("new")
    assert chat.sid == ""
    provider.say("Second answer.")
    chat.say("Second")
    chat.shows("Second answer.")
    second = chat.sid
    assert second not in ("", first)

    chat.page.go_back()
    chat.ready(first)
    chat.shows("First answer.")
    assert chat.sid == first
    chat.page.go_forward()
    chat.ready(second)
    chat.shows("Second answer.")
    assert chat.sid == second
    chat.reload()
    chat.shows("Second answer.")
    expect(chat.element("session-item")).to_have_count(2)
    assert len(provider.calls) == 2


def test_opening_a_session_of_the_list_shows_it_without_a_new_document(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    provider.say("First answer.")
    chat.say("First")
    chat.shows("First answer.")
    first = chat.sid
    chat.element("new-session").click()
    chat.ready("new")
    provider.say("Second answer.")
    chat.say("Second")
    chat.shows("Second answer.")

    chat.element("session-item").last.click()
    chat.ready(first)
    chat.shows("First answer.")
    assert chat.sid == first
    assert chat.documents() == 1
    assert len(chat.messages()) == 2
