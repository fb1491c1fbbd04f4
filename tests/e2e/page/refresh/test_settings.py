"""The settings of a session: after any reload what they were, and what the provider receives."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.conftest import Tab
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import Call, ScriptedProvider

SYSTEM = "Be brief.\n直接说 👩‍👩‍👧."


def opened(chat: ChatPage) -> None:
    chat.element("model").click()
    expect(chat.element("settings")).to_be_visible()


def set_all(chat: ChatPage) -> None:
    chat.element("setting-temperature").fill("0,3")
    chat.element("setting-system").fill(SYSTEM)
    chat.element("setting-tool-send_mail").uncheck()


def shows_all(chat: ChatPage) -> None:
    expect(chat.element("setting-temperature")).to_have_value("0.3")
    expect(chat.element("setting-system")).to_have_value(SYSTEM)
    expect(chat.element("setting-tool-send_mail")).not_to_be_checked()
    expect(chat.element("setting-tool-calculator")).to_be_checked()


def saved(chat: ChatPage) -> None:
    expect(chat.element("settings-state")).to_have_attribute("data-state", "saved")


def received(call: Call) -> tuple[Any, Any, bool, bool]:
    system = [turn["content"] for turn in call.messages if turn["role"] == "system"]
    return call.body.get("temperature"), system, "send_mail" in call.offered, "calculator" in call.offered


def test_what_is_set_on_a_new_page_goes_with_its_first_message(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    opened(chat)
    set_all(chat)
    chat.reload()
    shows_all(chat)

    provider.say("Yes.")
    chat.say("Hello?")

    chat.shows("Yes.")
    assert received(provider.called_sync()) == (0.3, [SYSTEM], False, True)
    chat.reload()
    shows_all(chat)
    chat.element("new-session").click()
    chat.ready("new")
    opened(chat)
    expect(chat.element("setting-system")).to_have_value("")


@pytest.mark.parametrize("how", ["reload", "kill"])
def test_what_is_set_in_a_session_stays_and_is_used_by_the_next_turn(
    app: AppUnderTest, chat: ChatPage, provider: ScriptedProvider, how: str
) -> None:
    provider.say("One.")
    chat.say("Hello?")
    chat.shows("One.")
    opened(chat)
    set_all(chat)
    saved(chat)

    if how == "kill":
        app.kill()
        app.start()
        expect(chat.element("connection")).to_have_attribute("data-state", "connected", timeout=15_000)
    chat.reload()

    shows_all(chat)
    saved(chat)
    provider.say("Two.")
    chat.say("And now?")
    chat.shows("Two.")
    assert received(provider.calls[0]) == (None, [], True, True)
    assert received(provider.called_sync(2)) == (0.3, [SYSTEM], False, True)


def test_another_tab_sees_what_was_set(chat: ChatPage, tab: Tab, provider: ScriptedProvider) -> None:
    provider.say("One.")
    chat.say("Hello?")
    chat.shows("One.")
    other = tab().open(chat.named())
    opened(other)
    chat.in_front()
    opened(chat)

    set_all(chat)
    saved(chat)

    other.in_front()
    shows_all(other)
    saved(other)


def test_what_is_typed_and_not_stored_is_there_after_a_reload(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    provider.say("One.")
    chat.say("Hello?")
    chat.shows("One.")
    opened(chat)
    chat.element("setting-system").fill("Half a thought")
    chat.reload()

    expect(chat.element("setting-system")).to_have_value("Half a thought")
    expect(chat.element("settings-state")).to_have_attribute("data-state", "unsaved")
    chat.element("settings-save").click()
    saved(chat)
    chat.reload()
    saved(chat)
    expect(chat.element("setting-system")).to_have_value("Half a thought")


def test_what_cannot_be_is_said_and_not_sent(chat: ChatPage, provider: ScriptedProvider) -> None:
    opened(chat)
    chat.element("setting-temperature").fill("warm")
    chat.element("setting-temperature").blur()
    expect(chat.element("settings").get_by_role("alert")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(chat.element("settings")).to_have_count(0)
    provider.say("Yes.")
    chat.say("Hello?")
    chat.shows("Yes.")
    assert "temperature" not in provider.called_sync().body


def test_it_goes_by_the_keyboard_and_stops_no_answer(chat: ChatPage, provider: ScriptedProvider) -> None:
    script = provider.say("One ").hold().say("two.")
    chat.say("Hello?")
    chat.shows("One ")
    chat.element("model").focus()
    chat.page.keyboard.press("Enter")
    chat.element("setting-system").focus()
    chat.page.keyboard.press("Escape")

    expect(chat.element("settings")).to_have_count(0)
    expect(chat.element("model")).to_be_focused()
    chat.busy()
    script.release()
    chat.shows("One two.")
