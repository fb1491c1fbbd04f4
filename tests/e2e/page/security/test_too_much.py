"""Too much in a short time: refused in words, and what was written stays until it is sent again."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.http.stage import app_before
from tests.e2e.page.refresh.conftest import WINDOW
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

FRAME_CHARACTERS = 1_000_000
LONG = 1_200_000
"""More than the socket takes in a frame."""

LAID_OUT_WITHIN_MS = 60_000
"""A box with that much text takes a browser its time."""


@pytest.fixture
def one_a_minute(provider_port: int) -> Iterator[AppUnderTest]:
    with app_before(provider_port, {"ASSISTANT_SENDS_PER_MINUTE": "1"}) as app:
        app.start()
        yield app


def test_a_message_too_many_stays_in_the_outbox(
    one_a_minute: AppUnderTest, browser: Browser, provider: ScriptedProvider
) -> None:
    context = browser.new_context(viewport=WINDOW)
    chat = ChatPage(context.new_page(), one_a_minute.url).open()
    provider.say("First.")
    chat.say("One")
    chat.ended("complete")

    chat.say("Two")

    for _ in range(2):
        expect(chat.outbox).to_have_attribute("data-state", "refused")
        expect(chat.outbox).to_contain_text("Two")
        expect(chat.outbox).to_contain_text("Too much in a short time")
        expect(chat.element("outbox-send")).to_be_visible()
        chat.reload()
    assert len(provider.calls) == 1
    context.close()


def test_a_text_that_no_server_takes_stays_in_the_composer_and_never_goes_out(
    one_a_minute: AppUnderTest, browser: Browser, provider: ScriptedProvider
) -> None:
    context = browser.new_context(viewport=WINDOW)
    page, sent = context.new_page(), [0]
    page.on(
        "websocket",
        lambda opened: opened.on("framesent", lambda frame: sent.append(len(frame))),
    )
    chat = ChatPage(page, one_a_minute.url).open()
    chat.page.evaluate(
        """length => {
          const box = document.querySelector('[data-testid="composer"]');
          const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
          set.call(box, "word ".repeat(length / 5));
          box.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        LONG,
    )

    chat.composer.press("Enter", timeout=LAID_OUT_WITHIN_MS)

    expect(chat.element("composer-hint")).not_to_have_text("")
    assert chat.page.evaluate("document.querySelector('[data-testid=\"composer\"]').value.length") == LONG
    expect(chat.element("connection")).to_have_attribute("data-state", "connected")
    chat.composer.fill("short", timeout=LAID_OUT_WITHIN_MS)
    provider.say("Fine.")
    chat.composer.press("Enter")
    chat.ended("complete")
    assert max(sent) < FRAME_CHARACTERS
    context.close()
