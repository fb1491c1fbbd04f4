"""Messages that wait for their turn: over reloads, tabs and kills, in order and each sent once."""

import pytest
from playwright.sync_api import expect

from tests.e2e.http.stage import said_to
from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.refresh.test_killed import begun
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider


def waits(chat: ChatPage, *texts: str) -> None:
    expect(chat.outbox.locator(".cp-bubble")).to_have_text(list(texts))
    for item in chat.outbox.all():
        expect(item).to_have_attribute("data-state", "queued")


def two_wait(chat: ChatPage, provider: ScriptedProvider) -> Script:
    """An answer is held, and two messages wait behind it."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    chat.say("First after")
    chat.say("Second after")
    waits(chat, "First after", "Second after")
    return script


def is_asked_in_order(chat: ChatPage, provider: ScriptedProvider, *questions: str) -> None:
    eventually_sync(lambda: len(provider.calls) == len(questions), within=10)
    chat.ended("complete")
    expect(chat.outbox).to_have_count(0)
    asked = [said_to(call)[-1] for call in provider.calls]
    assert asked == [("user", question) for question in questions]
    assert len(chat.messages()) == 2 * len(questions)


def test_what_waits_outlives_a_reload_and_is_sent_once_in_order(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B108: also with two tabs open."""
    script = two_wait(chat, provider)
    other = tab().open(chat.sid)
    waits(other, "First after", "Second after")
    chat.in_front()
    chat.reload()
    waits(chat, "First after", "Second after")

    script.release()
    for page in (chat, other):
        page.in_front()
        is_asked_in_order(page, provider, "Count for me", "First after", "Second after")
    chat.reload()
    is_asked_in_order(chat, provider, "Count for me", "First after", "Second after")


def test_what_waits_can_be_edited_and_removed_on_any_tab(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    script = two_wait(chat, provider)
    other = tab().open(chat.sid)
    other.element("outbox-discard").last.click()
    waits(other, "First after")
    chat.in_front()
    waits(chat, "First after")
    chat.element("outbox-edit").click()
    expect(chat.composer).to_have_value("First after")
    chat.composer.fill("Another after")
    chat.composer.press("Enter")
    for page in (chat, other):
        page.in_front()
        waits(page, "Another after")
    expect(chat.composer).to_have_value("")

    script.release()
    is_asked_in_order(chat, provider, "Count for me", "Another after")


@pytest.mark.parametrize("ending", ["stopped", "error"])
def test_after_a_bad_end_nothing_is_sent_until_told_to(
    chat: ChatPage, provider: ScriptedProvider, ending: str
) -> None:
    """Case B110."""
    script = provider.script().say(so_far(20)).hold().break_off()
    chat.say("Count for me")
    chat.shows(so_far(20))
    chat.say("First after")
    waits(chat, "First after")
    if ending == "stopped":
        chat.stop()
    else:
        script.release()
    chat.ended(ending)
    expect(chat.element("queue-paused")).to_be_visible()
    chat.reload()
    expect(chat.element("queue-paused")).to_be_visible()
    waits(chat, "First after")
    assert len(provider.calls) == 1

    chat.element("queue-send").click()
    is_asked_in_order(chat, provider, "Count for me", "First after")


def test_what_waits_outlives_a_kill_and_waits_for_the_user_after_an_interrupted_answer(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B108, B110."""
    begun(chat, provider)
    chat.say("First after")
    waits(chat, "First after")
    app.kill()
    app.start()
    chat.ended("interrupted")
    chat.shows(so_far(20))
    waits(chat, "First after")

    chat.element("queue-send").click()
    is_asked_in_order(chat, provider, "Count for me", "First after")
    chat.reload()
    is_asked_in_order(chat, provider, "Count for me", "First after")
    assert chat.text_of(chat.answers.last) != WHOLE
