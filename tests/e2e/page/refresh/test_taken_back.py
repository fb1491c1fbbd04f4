"""What is taken back: waiting messages, sessions, and the page of a session that another tab deleted."""

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.refresh.test_queue import is_asked_in_order, two_wait, waits
from tests.support.chat_page import ChatPage
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until

RELOAD_AFTER_CLICK = """milliseconds => addEventListener("click", () => {
  setTimeout(() => location.reload(), milliseconds);
}, { once: true })"""


@pytest.fixture
def script(chat: ChatPage, provider: ScriptedProvider) -> Script:
    return two_wait(chat, provider)


@pytest.mark.parametrize("milliseconds", [0, 20, 100])
def test_a_reload_does_not_forget_that_a_waiting_message_was_discarded(
    chat: ChatPage, script: Script, milliseconds: int
) -> None:
    """I6: a discarded text is in no place."""
    _reloaded_after(chat, "outbox-discard", milliseconds)
    waits(chat, "Second after")
    expect(chat.composer).to_have_value("")


@pytest.mark.parametrize("milliseconds", [0, 20, 100])
def test_a_reload_does_not_forget_that_a_waiting_message_is_edited(
    chat: ChatPage, script: Script, milliseconds: int
) -> None:
    """I6: it waits as it is, and its text is in the composer to be changed."""
    _reloaded_after(chat, "outbox-edit", milliseconds)
    waits(chat, "First after", "Second after")
    expect(chat.composer).to_have_value("First after")


def test_a_waiting_message_is_not_taken_back_without_a_link(
    chat: ChatPage, provider: ScriptedProvider, script: Script
) -> None:
    chat.page.context.set_offline(True)
    expect(chat.element("connection")).to_contain_text("offline")
    chat.element("outbox-discard").first.click()
    waits(chat, "First after", "Second after")
    chat.page.context.set_offline(False)
    script.release()
    is_asked_in_order(chat, provider, "Count for me", "First after", "Second after")


def test_each_deleted_session_can_be_taken_back_after_a_reload_too(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    for question in ("One", "Two"):
        provider.say(f"{question}!")
        chat.say(question)
        chat.shows(f"{question}!")
        chat.element("new-session").click()
        chat.ready("new")
    for left in (1, 0):
        chat.page.locator(".session-row").first.hover()
        chat.element("delete").first.click()
        expect(chat.element("session-item")).to_have_count(left)
    chat.reload()
    expect(chat.element("undo-delete")).to_have_count(2)
    chat.element("undo-delete").first.click()
    chat.shows("Two!")
    chat.element("undo-delete").click()
    expect(chat.element("session-item")).to_have_count(2)
    expect(chat.element("undo-delete")).to_have_count(0)


def test_another_version_is_looked_at_while_one_is_written(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """The answer that is written elsewhere is not shown among the others, here and after a reload."""
    provider.say("The first.")
    chat.say("Count for me")
    chat.ended("complete")
    script = held_after(provider, 20)
    chat.element("message").last.hover()
    chat.element("regenerate").click()
    chat.shows(so_far(20))
    chat.element("message").last.hover()
    chat.element("sibling-earlier").click()
    for _ in range(2):
        chat.shows("The first.")
        assert len(chat.messages()) == 2
        chat.reload()
    script.release()
    chat.idle()
    chat.shows("The first.")
    chat.element("message").last.hover()
    chat.element("sibling-later").click()
    chat.shows(WHOLE)
    assert len(chat.messages()) == 2


def test_a_session_that_another_tab_deleted_leaves_a_page_to_write_on(
    chat: ChatPage, provider: ScriptedProvider, script: Script, tab: Tab
) -> None:
    other = tab().open()
    other.page.locator(".session-row").hover()
    other.element("delete").click()
    chat.in_front()
    expect(chat.element("notice")).to_contain_text("was deleted")
    chat.idle()
    assert chat.messages() == []
    expect(chat.outbox).to_have_count(0)

    other.in_front()
    other.element("undo-delete").click()
    chat.in_front()
    chat.element("session-item").click()
    chat.ended("stopped")
    chat.shows(so_far(20))
    waits(chat, "First after", "Second after")


def test_a_message_for_a_session_that_is_gone_is_offered_on_a_new_page(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    provider.say("Hello.")
    chat.say("Hello?")
    chat.ended("complete")
    sid = chat.named()
    chat.page.context.request.delete(f"{chat.url}/api/sessions/{sid}")
    expect(chat.element("notice")).to_contain_text("was deleted")
    provider.say("Of course.")
    chat.say("Still there?")
    chat.shows("Of course.")
    assert chat.sid != sid
    expect(chat.element("notice")).to_have_count(0)


def _reloaded_after(chat: ChatPage, press: str, milliseconds: int) -> None:
    """Press the button of the first message that waits, and reload so long after the click."""
    chat.page.evaluate(RELOAD_AFTER_CLICK, milliseconds)
    chat.element(press).first.click()
    until(chat.page, "window.watched && Number(sessionStorage.getItem('documents')) === 2")
    chat.ready()
