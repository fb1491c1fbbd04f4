"""One key on two devices, and after its time: the first message is answered, and nothing is created."""

import sqlite3
from collections.abc import Callable

from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import held_after, so_far
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

KEY = "01b4dc8e-0000-4000-8000-000000000001"
PUT = """([key, sid, text]) =>
  localStorage.setItem(`outbox:${key}`, JSON.stringify({ key, sid, text, at: Date.now() }))"""


def is_sent_once(chat: ChatPage, provider: ScriptedProvider) -> None:
    chat.shows(so_far(20))
    expect(chat.outbox).to_have_count(0)
    expect(chat.composer).to_have_value("")
    assert [message.role for message in chat.messages()] == ["user", "assistant"]
    expect(chat.element("session-item")).to_have_count(1)
    assert len(provider.calls) == 1


def test_a_message_sent_again_from_two_devices_at_once_is_one_message(
    chat: ChatPage,
    provider: ScriptedProvider,
    second_device: Callable[[ChatPage], ChatPage],
) -> None:
    """Case B100: both hold it unsent under one key, and both press Send before either hears a reply."""
    held_after(provider, 20)
    other = second_device(chat)
    for page in (chat, other):
        page.page.evaluate(PUT, [KEY, "", "Once, please"])
        page.reload()
        expect(page.outbox).to_have_attribute("data-state", "unsent")
    for page in (chat, other):
        page.element("outbox-send").dispatch_event("click")
    for page in (chat, other):
        page.in_front()
        is_sent_once(page, provider)
    assert chat.named() == other.named()


def test_a_key_asked_about_after_its_time_leads_to_the_message_that_it_sent(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B102: a device that slept for days asks, and sends nothing."""
    held_after(provider, 20)
    chat.page.evaluate(PUT, [KEY.replace("1", "2"), "", "Once, please"])
    chat.reload()
    chat.element("outbox-send").click()
    chat.shows(so_far(20))
    expect(chat.outbox).to_have_count(0)
    with sqlite3.connect(app.data_dir / "assistant.db") as database:
        assert database.execute("DELETE FROM idempotency_key").rowcount > 0

    chat.page.evaluate(PUT, [KEY.replace("1", "2"), "", "Once, please"])
    chat.reload()
    is_sent_once(chat, provider)
    assert chat.wishes == ["send"]
