"""Loading, reloading and going back ask for nothing: no turn, no call, no decision (I5)."""

from playwright.sync_api import BrowserContext

from tests.e2e.page.refresh.answers import held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


def test_coming_back_in_every_way_sends_nothing(chat: ChatPage, provider: ScriptedProvider, tab: Tab) -> None:
    """Case B098: five reloads, back and forward, a closed tab opened again, a second tab."""
    provider.say("An answer.")
    chat.say("A question")
    chat.shows("An answer.")
    chat.ended("complete")
    before = chat.messages()

    for _ in range(5):
        chat.reload()
    chat.page.goto("data:text/html,")
    chat.page.go_back(wait_until="commit")
    chat.ready()
    chat.page.go_forward()
    chat.page.go_back(wait_until="commit")
    chat.ready()
    tabs = [chat, tab().open(), tab().open(chat.sid)]

    for each in tabs:
        each.shows("An answer.")
        assert each.messages() == before
        assert each.posts == []
    assert [each.wishes for each in tabs] == [["send"], [], []]
    assert len(provider.calls) == 1


def test_opening_and_reloading_in_mid_answer_sends_nothing(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B098."""
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    chat.reload()
    chat.open()
    chat.open(chat.sid)
    chat.shows(so_far(20))
    assert (chat.wishes, chat.posts) == (["send"], [])
    assert len(provider.calls) == 1


def test_a_duplicated_tab_sends_nothing(
    chat: ChatPage, provider: ScriptedProvider, context: BrowserContext
) -> None:
    """Case B098: it begins with a copy of all that the first tab keeps for itself."""
    provider.say("An answer.")
    chat.say("A question")
    chat.shows("An answer.")
    chat.ended("complete")
    with context.expect_page() as opening:
        chat.page.evaluate("window.open(location.href)")
    copy = ChatPage(opening.value, chat.url).ready(chat.sid)
    copy.shows("An answer.")
    copy.reload()
    assert copy.page.evaluate("sessionStorage.length") > 0
    assert copy.messages() == chat.messages()
    assert (chat.wishes, copy.wishes, copy.posts) == (["send"], [], [])
    assert len(provider.calls) == 1


def test_an_empty_page_creates_nothing(chat: ChatPage, provider: ScriptedProvider) -> None:
    """No session is there until something is sent."""
    for _ in range(3):
        chat.reload()
        chat.ready("new")
    assert (chat.wishes, chat.posts, chat.sid) == ([], [], "")
    assert chat.element("session-item").count() == 0
    assert provider.calls == []


def test_an_error_in_words_survives_five_reloads_and_calls_nobody(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B169."""
    provider.script().say("Half an ans").break_off()
    chat.say("A question")
    chat.ended("error")
    chat.shows("Half an ans")
    words = chat.element("error").inner_text()
    assert len(words) > 10
    before, calls = chat.messages(), len(provider.calls)

    for _ in range(5):
        chat.reload()
        assert chat.element("error").inner_text() == words
        chat.shows("Half an ans")
        chat.ended("error")
        chat.idle()
    assert chat.messages() == before
    assert len(provider.calls) == calls == 1
    assert chat.wishes == ["send"]


def test_a_refused_call_is_told_in_words_that_survive(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Case B169."""
    provider.key = "another"
    chat.say("A question")
    chat.ended("error")
    words = chat.element("error").inner_text()
    calls = len(provider.calls)
    chat.reload()
    assert chat.element("error").inner_text() == words
    chat.idle()
    assert len(provider.calls) == calls
