"""What comes up seldom is for a keyboard, too: long sessions and lists, what was not stored, linking."""

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.access.actions import LONG_LISTS, LONG_SESSION, NOT_STORED
from tests.e2e.page.access.keys import Keys
from tests.e2e.page.devices.linking import is_linked, makes_code, opens_link
from tests.e2e.page.refresh.test_long_sessions import numbers, seeded, short
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until

_IS_SOMEWHERE = "document.activeElement !== document.body"


def test_older_and_newer_messages(chat: ChatPage, app: AppUnderTest) -> None:
    keys = Keys(chat)
    chat.open(seeded(chat, app, says=short))
    keys.reach("load-older")
    # What is too much at one end goes at the other.
    while chat.element("load-newer").count() == 0:
        first = numbers(chat)[0]
        chat.page.keyboard.press("Enter")
        eventually_sync(lambda first=first: numbers(chat)[0] < first)
        keys.is_at("load-older")
    chat.page.keyboard.press("/")
    last = numbers(chat)[-1]
    keys.press("load-newer", back=True)
    eventually_sync(lambda: numbers(chat)[-1] > last)
    until(chat.page, _IS_SOMEWHERE)
    assert keys.used == LONG_SESSION


def test_more_sessions_and_more_hits(chat: ChatPage, app: AppUnderTest, provider: ScriptedProvider) -> None:
    keys = Keys(chat)
    cookies = {each["name"]: each["value"] for each in chat.page.context.cookies()}
    with httpx.Client(base_url=app.url, cookies=cookies) as client:
        for number in range(55):
            sent = client.post(
                "/api/messages", json={"text": f"Number {number}"}, headers={"Idempotency-Key": f"k-{number}"}
            )
            assert sent.status_code == 202
    expect(chat.element("more-sessions")).to_be_visible()
    keys.press("more-sessions", back=True)
    expect(chat.element("session-item")).to_have_count(55)
    keys.is_at("session-item")
    chat.page.keyboard.press("Control+k")
    keys.is_at("search")
    keys.type("Number")
    expect(chat.element("search-more")).to_be_visible()
    found = chat.element("search-result").count()
    keys.press("search-more")
    eventually_sync(lambda: chat.element("search-result").count() > found)
    until(chat.page, _IS_SOMEWHERE)
    assert keys.used == LONG_LISTS


def test_what_was_not_stored_and_not_sent(chat: ChatPage, provider: ScriptedProvider) -> None:
    chat.page.evaluate(
        """() => localStorage.setItem("outbox:k-1",
          JSON.stringify({ key: "k-1", sid: "", text: "Hello?", at: 1 }))"""
    )
    chat.reload()
    keys = Keys(chat)
    expect(chat.outbox).to_have_attribute("data-state", "unsent")
    provider.say("Yes.")
    keys.press("outbox-send", back=True)
    chat.shows("Yes.")
    keys.is_at("composer")

    keys.press("model")
    expect(chat.element("settings")).to_be_visible()
    for choice in ("settings-discard", "settings-save"):
        keys.reach("setting-system")
        keys.type("Half a thought")
        chat.reload()
        expect(chat.element("settings-state")).to_have_attribute("data-state", "unsaved")
        keys.press(choice, back=True)  # the other way leads through the field, which is stored by that
        expect(chat.element("settings-state")).to_have_attribute("data-state", "saved")
        keys.is_at("settings-close")
    assert keys.used == NOT_STORED


@pytest.mark.parametrize("choice", ["link-bring", "link-leave"])
def test_a_device_with_conversations_of_its_own(
    chat: ChatPage, strangers: BrowserContext, provider: ScriptedProvider, choice: str
) -> None:
    phone = ChatPage(strangers.new_page(), chat.url).open()
    provider.say("Mine.")
    phone.say("Hello?")
    phone.shows("Mine.")
    opens_link(phone, makes_code(chat))
    Keys(phone).press(choice)
    is_linked(phone)
    expect(phone.element("session-item")).to_have_count(1 if choice == "link-bring" else 0)
