"""The owner's cookie is gone or void in mid-answer: said in words, rarely asked about, nothing lost."""

from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.test_link_away import WAKE
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine

COOKIE = "assistant_owner"
PING = "2"


def hears_pings(chat: ChatPage, number: int) -> None:
    """Between them the page's clock runs ahead, as far as the socket's own patience allows."""
    for _ in range(number):
        heard = chat.heard.count(PING)
        eventually_sync(lambda before=heard: chat.page.evaluate("1") and chat.heard.count(PING) > before)
        chat.passes(3)


def test_a_browser_that_is_not_known_any_more_says_so_and_is_whole_when_it_is(
    far_chat: ChatPage,
    provider: ScriptedProvider,
    line: SlowLine,
    context: BrowserContext,
) -> None:
    """Case B137: one more opening, not one a second; the draft and what is shown are kept."""
    script = held_after(provider, 20)
    far_chat.say("Count for me")
    far_chat.shows(so_far(20))
    far_chat.composer.fill("What I write meanwhile")
    known = [each for each in context.cookies(line.url) if each["name"] == COOKIE]
    context.clear_cookies(name=COOKIE)
    opened, heard = line.opened, len(far_chat.heard)
    line.break_off()

    connection = far_chat.element("connection")
    expect(connection).to_have_attribute("data-state", "unknown")
    hears_pings(far_chat, 2)
    expect(connection).to_contain_text("not known here any more")
    far_chat.shows(so_far(20))
    far_chat.no_failure()
    expect(far_chat.composer).to_have_value("What I write meanwhile")
    assert line.opened == opened + 1
    assert "".join(far_chat.heard[heard:]).count('"ready_rx_state_":""') <= 2

    context.add_cookies([{"name": COOKIE, "value": known[0]["value"], "url": line.url}])
    script.release()
    far_chat.page.evaluate(WAKE)
    far_chat.shows(WHOLE)
    far_chat.ended("complete")
    expect(connection).to_have_attribute("data-state", "connected")
    expect(far_chat.composer).to_have_value("What I write meanwhile")
    eventually_sync(lambda: line.opened == opened + 2)
    assert (far_chat.wishes, far_chat.documents(), len(provider.calls)) == (["send"], 1, 1)


def test_a_browser_that_is_not_known_asks_again_after_a_minute(
    far_chat: ChatPage, line: SlowLine, context: BrowserContext
) -> None:
    """Case B137: without a person who comes back to the tab."""
    known = context.cookies(line.url)
    context.add_cookies([{"name": COOKIE, "value": "void", "url": line.url}])
    line.break_off()
    expect(far_chat.element("connection")).to_have_attribute("data-state", "unknown")
    context.add_cookies([{"name": each["name"], "value": each["value"], "url": line.url} for each in known])
    far_chat.passes(64)
    expect(far_chat.element("connection")).to_have_attribute("data-state", "connected")
