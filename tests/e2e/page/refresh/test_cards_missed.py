"""An update that is lost on its way to the page, of a link that stays open: the page finds out by itself."""

import re

import pytest
from playwright.sync_api import WebSocketRoute, expect

from tests.e2e.page.refresh.cards import AFTER, BEFORE, asks, card, is_decided
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer


@pytest.fixture
def lost(chat: ChatPage) -> list[str]:
    """Patterns: the next update to the page that has one of them is dropped, and the pattern is done."""
    patterns: list[str] = []

    def opened(page_side: WebSocketRoute) -> None:
        server_side = page_side.connect_to_server()

        def to_page(message: str | bytes) -> None:
            found = next((each for each in patterns if re.search(each, str(message))), None)
            if found is None:
                page_side.send(message)
            else:
                patterns.remove(found)

        server_side.on_message(to_page)

    chat.page.route_web_socket(re.compile("/_event"), opened)
    chat.reload()
    return patterns


def test_a_card_whose_announcement_was_lost_comes_by_itself(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, lost: list[str]
) -> None:
    """Case B076: within a beat, without a reload, and it can be decided."""
    lost.append('"hash":')
    asks(chat, provider)
    assert lost == []
    chat.busy()
    provider.say(AFTER)
    chat.element("approve").click()
    chat.shows(BEFORE + AFTER)
    chat.ended("complete")
    assert (chat.documents(), len(mail_server.message_ids), len(provider.calls)) == (2, 1, 2)


def test_what_became_of_a_call_comes_though_an_update_of_it_was_lost(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, lost: list[str]
) -> None:
    """Case B085: the composer is free again, too."""
    mail_server.waits_after = "mail"
    asks(chat, provider)
    lost.append('"state":"executing"')
    chat.element("approve").click()
    expect(card(chat)).to_have_attribute("data-state", "executing", timeout=10_000)
    provider.say(AFTER)
    lost.append('"reason":"complete"')
    mail_server.go_on.set()
    chat.shows(BEFORE + AFTER)
    chat.ended("complete")
    chat.idle()
    is_decided(chat, "completed", "Approved")
    assert lost == []


def test_a_page_that_lost_nothing_is_not_restored_by_itself(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    asks(chat, provider)
    restored = restores(chat)
    provider.say(AFTER)
    chat.element("deny").click()
    chat.shows(BEFORE + AFTER)
    chat.ended("complete")
    heard = len(chat.heard)
    eventually_sync(
        lambda: chat.page.evaluate("1") and any('"beat_' in each for each in chat.heard[heard:]), within=10
    )
    asks(chat, provider)
    assert restores(chat) == restored


def restores(chat: ChatPage) -> int:
    return sum('"restored_on' in each for each in chat.heard)
