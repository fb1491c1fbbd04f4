"""Enter, then F5 while the line is slow: the text is in exactly one place, and loading sends nothing."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until
from tests.support.slow_line import SlowLine, Way

SLOW_SECONDS = 2.0
RELOADS_MS = (0, 50, 300, 1900, 2100)
TEXT = "A question that is asked once 👋🏽"

RELOAD_AFTER_ENTER = """milliseconds => addEventListener("keydown", ({ key }) => {
  if (key === "Enter") setTimeout(() => location.reload(), milliseconds);
}, { capture: true, once: true })"""


@pytest.fixture
def chat(provider: ScriptedProvider, line: SlowLine, context: BrowserContext) -> ChatPage:
    """In front of the slow line."""
    chat = ChatPage(context.new_page(), line.url).open()
    chat.watch_for(TEXT)
    return chat


def reloads(chat: ChatPage, milliseconds: int) -> None:
    """Send, press F5 so long after Enter, and wait for the page."""
    chat.page.evaluate(RELOAD_AFTER_ENTER, milliseconds)
    chat.say(TEXT)
    until(chat.page, "window.watched && Number(sessionStorage.getItem('documents')) === 2")
    chat.ready()


@pytest.mark.parametrize("milliseconds", RELOADS_MS)
def test_a_reload_before_the_reply_comes_keeps_the_message_once(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine, milliseconds: int
) -> None:
    """Case B009, I6: the server has it, and its reply is two seconds away."""
    provider.say("An answer.")
    line.slow_down(Way.TO_BROWSER, SLOW_SECONDS)
    reloads(chat, milliseconds)

    is_in_one_place(chat)
    if chat.element("message").count():
        chat.shows("An answer.")
        assert len(provider.calls) == 1
    else:
        assert provider.calls == []
    assert chat.wishes.count("send") <= 1
    assert chat.places_seen() == [1]


@pytest.mark.parametrize("milliseconds", RELOADS_MS)
def test_a_reload_before_the_server_has_it_keeps_the_message_once(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine, milliseconds: int
) -> None:
    """Case B009, I6: it is on its way for two seconds, and may come after the page has asked for it."""
    provider.say("An answer.")
    line.slow_down(Way.TO_SERVER, SLOW_SECONDS)
    reloads(chat, milliseconds)

    is_in_one_place(chat)
    assert chat.wishes.count("send") <= 1
    assert chat.places_seen() == [1]
    if chat.outbox.count():
        chat.element("outbox-send").click()
        chat.shows("An answer.")
    is_in_one_place(chat)
    assert len(provider.calls) <= 1
    assert len([message for message in chat.messages() if message.role == "user"]) <= 1


def test_an_unsent_message_goes_once_when_it_is_sent_again(
    chat: ChatPage, provider: ScriptedProvider, context: BrowserContext
) -> None:
    """Case B102, B111, B159: nothing is in the composer, and a reload between changes nothing."""
    provider.say("An answer.")
    chat.page.evaluate(
        """text => localStorage.setItem("outbox:k-1", JSON.stringify({key: "k-1", sid: "", text, at: 1}))""",
        TEXT,
    )
    for _ in range(2):
        chat.reload()
        expect(chat.outbox).to_have_attribute("data-state", "unsent")
        is_in_one_place(chat)
    assert chat.wishes == []
    assert provider.calls == []

    chat.element("outbox-send").click()
    chat.shows("An answer.")
    expect(chat.outbox).to_have_count(0)
    chat.reload()
    is_in_one_place(chat)
    expect(chat.composer).to_have_value("")
    assert len(chat.messages()) == 2
    assert len(provider.calls) == 1


def test_a_draft_survives_a_reload_and_is_gone_once_it_was_sent(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B159, B161."""
    chat.composer.fill(TEXT)
    chat.reload()
    expect(chat.composer).to_have_value(TEXT)
    provider.say("An answer.")
    chat.composer.press("Enter")
    chat.shows("An answer.")
    chat.ended("complete")
    chat.reload()
    expect(chat.composer).to_have_value("")
    assert len(chat.messages()) == 2


def is_in_one_place(chat: ChatPage) -> None:
    """Exactly one of message, outbox item and composer has the text, and its fate is known."""
    expect(chat.page.locator('[data-testid="outbox-item"][data-state="sending"]')).to_have_count(0)
    places = {
        "message": chat.page.locator('[data-role="user"]').filter(has_text=TEXT).count(),
        "outbox": chat.outbox.filter(has_text=TEXT).count(),
        "composer": int(TEXT in chat.composer.input_value()),
    }
    assert sum(places.values()) == 1, places
