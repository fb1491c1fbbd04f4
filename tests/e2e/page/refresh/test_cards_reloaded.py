"""A reload at every moment of a call: the same card at the same place, and the run goes on by itself."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.cards import AFTER, BEFORE, MAIL, asks, card, has_no_buttons, is_decided, waits
from tests.e2e.page.refresh.test_stays_put import SEEN
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer

Moment = Callable[[ChatPage, ScriptedProvider, SmtpServer], object]


def waiting(chat: ChatPage, provider: ScriptedProvider, _: SmtpServer) -> None:
    asks(chat, provider)


def waiting_without_a_word(chat: ChatPage, provider: ScriptedProvider, _: SmtpServer) -> None:
    asks(chat, provider, before="")


def waiting_with_a_reason_typed(chat: ChatPage, provider: ScriptedProvider, _: SmtpServer) -> None:
    asks(chat, provider)
    chat.element("deny-why").click()
    chat.element("deny-reason").fill("Not on Thurs")


def executing(chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer) -> None:
    mail_server.waits_after = "mail"
    asks(chat, provider)
    chat.element("approve").click()
    expect(card(chat)).to_have_attribute("data-state", "executing")


def between_result_and_next_step(chat: ChatPage, provider: ScriptedProvider, _: SmtpServer) -> Script:
    asks(chat, provider)
    script = provider.script().hang_before_first().say(AFTER)
    chat.element("approve").click()
    script.held_sync()
    expect(card(chat)).to_have_attribute("data-state", "completed")
    return script


def in_the_text_after_it(chat: ChatPage, provider: ScriptedProvider, _: SmtpServer) -> Script:
    asks(chat, provider)
    script = provider.script().say(AFTER[:4]).hold().say(AFTER[4:])
    chat.element("approve").click()
    script.held_sync()
    chat.shows(BEFORE + AFTER[:4])
    return script


def denied(chat: ChatPage, provider: ScriptedProvider, _: SmtpServer) -> Script:
    asks(chat, provider)
    script = provider.script().hang_before_first()
    chat.element("deny").click()
    script.held_sync()
    is_decided(chat, "failed", "Denied", "denied")
    return script


MOMENTS = (
    waiting,
    waiting_without_a_word,
    waiting_with_a_reason_typed,
    executing,
    between_result_and_next_step,
    in_the_text_after_it,
    denied,
)


@pytest.mark.parametrize("comes_to", MOMENTS)
def test_a_reload_shows_the_same_card_at_the_same_place(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, comes_to: Moment
) -> None:
    """Cases B071, B072, B082."""
    chat.page.clock.set_fixed_time(datetime.now(UTC))
    comes_to(chat, provider, mail_server)
    before, words = chat.picture(), card(chat).inner_text()
    calls, wishes = len(provider.calls), list(chat.wishes)
    for _ in range(3):
        chat.reload()
        assert chat.difference(before, chat.picture()) < SEEN
        assert card(chat).inner_text() == words
        assert chat.layout_shifts() == []
        assert chat.failures_seen() == []
    assert chat.simulate_refresh() == "Nothing changed."
    assert chat.difference(before, chat.picture()) < SEEN
    assert (len(provider.calls), chat.wishes) == (calls, wishes)
    chat.stop()
    chat.idle()


@pytest.mark.parametrize("comes_to", [executing, between_result_and_next_step, in_the_text_after_it])
def test_after_a_reload_it_goes_on_by_itself_to_its_end(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, comes_to: Moment
) -> None:
    """Cases B061, B084: one answer, one call, one mail."""
    script = comes_to(chat, provider, mail_server)
    id = card(chat).get_attribute("data-call-id")
    if comes_to is executing:
        provider.say(AFTER)
    chat.reload()
    mail_server.go_on.set()
    if isinstance(script, Script):
        script.release()
    chat.shows(BEFORE + AFTER)
    chat.ended("complete")
    chat.idle()
    is_decided(chat, "completed", "Approved")

    chat.reload()
    chat.shows(BEFORE + AFTER)
    assert chat.page.locator(f"[data-call-id='{id}']").count() == 1
    assert [message.role for message in chat.messages()] == ["user", "assistant"]
    assert (len(provider.calls), len(mail_server.message_ids)) == (2, 1)


def test_ten_reloads_leave_a_card_that_waits_and_decide_nothing(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Cases B061, B071."""
    asks(chat, provider)
    before = chat.picture()
    for _ in range(10):
        chat.reload()
        waits(chat)
        chat.busy()
    assert chat.difference(before, chat.picture()) < SEEN
    assert (len(provider.calls), mail_server.message_ids) == (1, [])

    provider.say(AFTER)
    chat.element("approve").click()
    chat.shows(BEFORE + AFTER)
    assert len(mail_server.message_ids) == 1


def test_a_tool_that_needs_no_decision_shows_that_it_ran_and_asks_nothing(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B082."""
    provider.script().say("I look at the clock. ").call("current_time", {"time_zone": "Asia/Shanghai"})
    script = provider.script().hang_before_first().say("It is late.")
    chat.say("What time is it there?")
    script.held_sync()
    for _ in range(2):
        expect(card(chat)).to_have_attribute("data-state", "completed")
        expect(card(chat)).to_contain_text("Look at the clock: Asia/Shanghai")
        has_no_buttons(chat)
        chat.reload()
    script.release()
    chat.shows("I look at the clock. It is late.")


def settled(chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer) -> None:
    """Seven kinds of ends in one thread; the last is in doubt."""
    provider.script().say("One. ").calls(
        ("current_time", {"time_zone": "UTC"}), ("no_such_tool", {"a": 12345678901234567890})
    ).call("calculator", "not JSON")
    provider.say("Two.")
    chat.say("First")
    chat.shows("One. Two.")
    chat.ended("complete")
    for decide in ("approve", "deny"):
        asks(chat, provider)
        provider.say(AFTER)
        chat.element(decide).click()
        chat.shows(BEFORE + AFTER)
        chat.ended("complete")
    asks(chat, provider)
    chat.stop()
    chat.ended("stopped")
    asks(chat, provider)
    mail_server.replies["DATA"] = "550 no"
    provider.say(AFTER)
    chat.element("approve").click()
    chat.shows(BEFORE + AFTER)
    chat.ended("complete")
    del mail_server.replies["DATA"]
    mail_server.hangs_up_after = "mail"
    asks(chat, provider)
    chat.element("approve").click()
    chat.ended("interrupted")
    chat.idle()


def test_settled_cards_of_every_kind_are_the_same_after_a_reload(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Case B072."""
    settled(chat, provider, mail_server)
    kinds = chat.element("tool-call").evaluate_all(
        "all => all.map(({dataset: d}) => [d.state, d.reason].join(' ').trim())"
    )
    done, error = "completed", "failed error"
    assert kinds == [done, error, error, done, "failed denied", "failed stopped", error, "failed lost"]
    for number in (0, 3):
        chat.element("tool-call").nth(number).locator("summary").click()
    chat.page.set_viewport_size({"width": 1280, "height": 2400})
    before = chat.picture()
    chat.reload()
    assert chat.difference(before, chat.picture()) < SEEN
    assert chat.layout_shifts() == []
    expect(chat.element("approve")).to_have_count(0)
    eventually_sync(lambda: len(mail_server.message_ids) == 2)
    assert MAIL["to"] in mail_server.mails[0].decode()
