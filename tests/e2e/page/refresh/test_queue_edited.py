"""A message that waits, edited in its place: over reloads, tabs, devices, a restart, and against its turn."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.conftest import Tab
from tests.e2e.page.refresh.test_queue import is_asked_in_order, two_wait, waits
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider

ELSEWHERE = "edited elsewhere meanwhile"


@pytest.fixture
def script(chat: ChatPage, provider: ScriptedProvider) -> Script:
    return two_wait(chat, provider)


def edit(page: ChatPage, text: str) -> None:
    """Open the first that waits, and write another text."""
    page.in_front()
    page.element("outbox-edit").first.click()
    page.composer.fill(text)


def test_an_edit_outlives_a_reload_and_keeps_the_place_of_its_message(
    chat: ChatPage, provider: ScriptedProvider, script: Script
) -> None:
    """Case B108, B161: what was typed is there again, and is saved by the user's press alone."""
    edit(chat, "Another after")
    chat.reload()
    expect(chat.composer).to_have_value("Another after")
    waits(chat, "First after", "Second after")
    chat.element("save-editing").click()
    waits(chat, "Another after", "Second after")
    expect(chat.composer).to_have_value("")
    chat.reload()
    waits(chat, "Another after", "Second after")
    expect(chat.composer).to_have_value("")

    script.release()
    is_asked_in_order(chat, provider, "Count for me", "Another after", "Second after")


def test_a_message_that_is_sent_in_mid_edit_leaves_the_text_as_a_draft(
    chat: ChatPage, provider: ScriptedProvider, script: Script
) -> None:
    """Case B108: sent as it was, once; told; and what was written of it is not lost."""
    edit(chat, "Another after")
    script.release()
    is_asked_in_order(chat, provider, "Count for me", "First after", "Second after")
    expect(chat.composer).to_have_value("Another after")
    expect(chat.element("edit-notice")).to_contain_text("was sent before it was changed")
    chat.reload()
    expect(chat.composer).to_have_value("Another after")
    is_asked_in_order(chat, provider, "Count for me", "First after", "Second after")


def test_of_two_devices_the_first_saves_and_the_second_is_told(
    chat: ChatPage,
    provider: ScriptedProvider,
    script: Script,
    second_device: Callable[[ChatPage], ChatPage],
) -> None:
    """The second text stays, and takes the place of the first only when its user says so again."""
    other = second_device(chat)
    other.open(chat.sid)
    waits(other, "First after", "Second after")
    edit(chat, "Mine")
    edit(other, "Theirs")
    other.composer.press("Enter")
    waits(other, "Theirs", "Second after")
    chat.in_front()
    expect(chat.element("composer-hint")).to_contain_text(ELSEWHERE)
    expect(chat.composer).to_have_value("Mine")
    chat.composer.press("Enter")
    waits(chat, "Mine", "Second after")
    script.release()
    is_asked_in_order(chat, provider, "Count for me", "Mine", "Second after")


def test_two_tabs_edit_one_text_and_it_is_sent_once(
    chat: ChatPage, provider: ScriptedProvider, script: Script, tab: Tab
) -> None:
    other = tab().open(chat.sid)
    other.element("outbox-edit").first.click()
    edit(chat, "Another after")
    expect(other.composer).to_have_value("Another after")
    chat.composer.press("Enter")
    for page in (chat, other):
        page.in_front()
        waits(page, "Another after", "Second after")
        expect(page.composer).to_have_value("")
    script.release()
    is_asked_in_order(chat, provider, "Count for me", "Another after", "Second after")


def test_a_restart_of_the_server_in_mid_edit_loses_nothing(
    chat: ChatPage, provider: ScriptedProvider, script: Script, app: AppUnderTest
) -> None:
    """Case B108, B110: after it the queue waits for the user, who goes on with the edit."""
    edit(chat, "Another after")
    app.kill()
    app.start()
    chat.ended("interrupted")
    expect(chat.composer).to_have_value("Another after")
    chat.element("save-editing").click()
    waits(chat, "Another after", "Second after")
    chat.element("queue-send").click()
    is_asked_in_order(chat, provider, "Count for me", "Another after", "Second after")
