"""Proxies that get in the way: one that keeps what it should pass on, one that ends what is quiet."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine

IDLE_SECONDS = 1.5
"""Less than the server is silent for: at most three seconds, and a little."""


@pytest.fixture
def chat(context: BrowserContext) -> ChatPage:
    page = context.new_page()
    page.clock.install()
    return ChatPage(page, "")


def test_a_proxy_that_keeps_everything_is_told_of_and_nothing_is_pretended(
    chat: ChatPage, app: AppUnderTest, provider: ScriptedProvider
) -> None:
    """Case B135: documents come, sockets say nothing; in ten seconds the page says so, and takes nothing."""
    with SlowLine(app.port, buffers=True) as line:
        chat.url = line.url
        chat.open(wait=False)
        expect(chat.composer).to_be_editable()
        eventually_sync(lambda: chat.most_sockets() > 0)
        chat.passes(10)
        expect(chat.element("connection")).to_contain_text("a proxy does not let web sockets through")
        chat.composer.fill("Hello?")
        chat.composer.press("Enter")
        expect(chat.composer).to_have_value("Hello?")
        chat.no_failure()
        assert chat.messages() == []
        assert (chat.wishes, provider.calls) == ([], [])
        chat.reload(wait=False)
        expect(chat.composer).to_have_value("Hello?")


def test_a_proxy_that_ends_quiet_sockets_costs_nothing(
    chat: ChatPage, app: AppUnderTest, provider: ScriptedProvider
) -> None:
    """Case B136: the model is silent for longer than sockets live; they open again, the answer arrives."""
    with SlowLine(app.port, idle_seconds=IDLE_SECONDS) as line:
        chat.url = line.url
        chat.open()
        script = held_after(provider, 20)
        chat.say("Count for me")
        chat.shows(so_far(20))
        opened = line.opened
        eventually_sync(lambda: chat.page.evaluate("1") and line.opened >= opened + 3, within=10)
        chat.shows(so_far(20))
        chat.busy()
        script.release()
        chat.shows(WHOLE)
        chat.ended("complete")
        assert (chat.failures_seen(), chat.documents(), chat.most_sockets()) == ([], 1, 1)
        assert (chat.wishes, len(provider.calls)) == (["send"], 1)


def test_a_proxy_with_some_patience_never_ends_a_socket(
    chat: ChatPage, app: AppUnderTest, provider: ScriptedProvider
) -> None:
    """Case B136: the server is heard every three seconds, however silent the model is."""
    with SlowLine(app.port, idle_seconds=4.5) as line:
        chat.url = line.url
        chat.open()
        script = held_after(provider, 20)
        chat.say("Count for me")
        chat.shows(so_far(20))
        heard = len(chat.heard)
        eventually_sync(lambda: chat.page.evaluate("1") and len(chat.heard) >= heard + 3, within=10)
        script.release()
        chat.shows(WHOLE)
        assert line.opened == 1
