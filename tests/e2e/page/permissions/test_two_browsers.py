"""Two people, two browsers: neither sees anything of the other, and a copied address gives no access."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

SECRET = "marlinspike"


@pytest.fixture
def somebody_else(app: AppUnderTest, browser: Browser) -> Iterator[Callable[[], ChatPage]]:
    """Opens tabs of a browser that is nobody yet."""
    context = browser.new_context()
    yield lambda: ChatPage(context.new_page(), app.url)
    context.close()


def test_two_fresh_browsers_are_two_owners_with_nothing(
    chat: ChatPage, provider: ScriptedProvider, somebody_else: Callable[[], ChatPage]
) -> None:
    """Case B189."""
    provider.say(f"It is {SECRET}.")
    chat.say("Hello?")
    chat.shows(f"It is {SECRET}.")

    other = somebody_else().open()

    assert (other.sid, other.messages()) == ("", [])
    expect(other.element("session-item")).to_have_count(0)
    provider.say("Hello to you.")
    other.say("And I?")
    other.shows("Hello to you.")
    assert other.sid != chat.sid
    expect(chat.element("session-item")).to_have_count(1)
    assert SECRET not in "".join(other.heard)


def test_a_copied_address_shows_what_an_unknown_one_shows(
    chat: ChatPage, provider: ScriptedProvider, somebody_else: Callable[[], ChatPage]
) -> None:
    """Case B189: while the answer is written before the owner's eyes, and by every trick of the browser."""
    script = provider.script().say(f"It is {SECRET}. ").hold().say("That is all.")
    chat.say("Hello?")
    chat.shows(f"It is {SECRET}. ")
    sid = chat.named()
    unknown = somebody_else().open("01932f5a-0000-7000-8000-000000000000")
    other = somebody_else().open(sid)

    other.page.evaluate("sid => localStorage.setItem('recent-session', sid)", sid)
    other.open()
    other.open(sid)
    script.release()
    chat.ended("complete")

    said = unknown.element("notice").inner_text()
    expect(other.element("notice")).to_have_text(said)
    assert other.messages() == unknown.messages() == []
    expect(other.element("session-item")).to_have_count(0)
    assert SECRET not in "".join(other.heard)
    assert not re.search(chat.answers.last.get_attribute("data-task-id") or "-", "".join(other.heard))
