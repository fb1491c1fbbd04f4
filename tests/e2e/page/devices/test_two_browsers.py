"""Two browsers of one owner: the same at every step in both, whichever of them does what."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.page.devices.conftest import Device
from tests.e2e.page.refresh.answers import held_after, so_far
from tests.e2e.page.refresh.cards import AFTER, BEFORE, MAIL, card, has_no_buttons, is_decided, waits
from tests.e2e.page.refresh.conftest import WINDOW
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine, Way
from tests.support.smtp_server import SmtpServer

FIREFOX = "Mozilla/5.0 (Android 15; Mobile; rv:141.0) Gecko/141.0 Firefox/141.0"
LATE_SECONDS = 3.0


@pytest.fixture
def firefox(browser: Browser) -> Iterator[Device]:
    """The same owner in a browser that calls itself another."""
    context = browser.new_context(viewport=WINDOW, reduced_motion="reduce", user_agent=FIREFOX)

    def opened(chat: ChatPage) -> ChatPage:
        for each in chat.page.context.cookies():
            context.add_cookies([{"name": each["name"], "value": each["value"], "url": chat.url}])
        return ChatPage(context.new_page(), chat.url).open(chat.sid)

    yield opened
    context.close()


def test_sent_in_one_approved_in_the_other_stopped_in_the_first(
    chat: ChatPage, firefox: Device, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    provider.script().say(BEFORE).call("send_mail", MAIL)
    chat.say("Invite Ada to lunch")
    chat.named()
    other = firefox(chat)
    for page in (chat, other):
        page.in_front()
        page.holds(BEFORE)
        waits(page)
        page.busy()

    held_after(provider, 20)
    other.element("approve").click()
    for page in (other, chat):
        page.in_front()
        page.holds(BEFORE + so_far(20))
        is_decided(page, "completed", "Approved")
        expect(card(page).get_by_test_id("tool-fate")).to_contain_text("Firefox on Android")
        page.busy()

    chat.in_front()
    chat.stop()
    for page in (chat, other):
        page.in_front()
        page.ended("stopped")
        page.holds(BEFORE + so_far(20))
        page.idle()
        has_no_buttons(page)
    assert chat.messages() == other.messages()
    assert chat.held() == other.held()
    assert (len(provider.calls), len(mail_server.message_ids)) == (2, 1)


def test_whoever_loses_is_told_what_was_decided_when_and_where(
    chat: ChatPage, firefox: Device, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Case B072."""
    provider.script().say(BEFORE).call("send_mail", MAIL)
    chat.say("Invite Ada to lunch")
    waits(chat)
    other = firefox(chat)
    waits(other)
    provider.say(AFTER)
    chat.page.evaluate(
        """() => {
          const deny = document.querySelector('[data-testid="deny"]');
          const {onClick} = deny[Object.keys(deny).find((name) => name.startsWith("__reactProps"))];
          window.pressLate = () => onClick({detail: 1});
        }"""
    )
    other.element("approve").click()
    chat.in_front()
    chat.holds(BEFORE + AFTER)
    chat.idle()
    chat.page.evaluate("() => window.pressLate()")
    expect(chat.element("composer-hint")).to_contain_text("Already approved on Firefox on Android")
    fate = card(chat).get_by_test_id("tool-fate")
    expect(fate).to_have_text(re.compile(r"^Approved just now, Firefox on Android"))
    chat.reload()
    expect(fate).to_contain_text("Firefox on Android")


def test_two_devices_each_add_a_turn_while_the_other_hears_late(
    chat: ChatPage, second_device: Device, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B117: what a device sends is a message and not the whole conversation."""
    provider.say("Nought.")
    chat.say("Begin")
    chat.shows("Nought.")
    chat.ended("complete")
    sid = chat.named()
    far = second_device(chat)
    far.url = line.url
    for each in chat.page.context.cookies():
        far.page.context.add_cookies([{"name": each["name"], "value": each["value"], "url": line.url}])
    far.open(sid)
    far.shows("Nought.")
    line.slow_down(Way.TO_BROWSER, LATE_SECONDS)
    provider.say("One.")
    chat.say("First")
    chat.shows("One.")
    chat.ended("complete")
    provider.say("Two.")
    far.say("Second")
    for page in (chat, far):
        page.in_front()
        page.shows("Two.", within=20)
        page.idle()
        expect(page.outbox).to_have_count(0)
    assert [message.role for message in chat.messages()] == ["user", "assistant"] * 3
    assert chat.messages() == far.messages()
    assert len(provider.calls) == 3
