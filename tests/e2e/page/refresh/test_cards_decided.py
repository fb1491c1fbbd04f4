"""Decisions: one, whoever makes it and wherever; every page shows it, and the mail server counts."""

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.cards import AFTER, BEFORE, asks, card, has_no_buttons, is_decided, waits
from tests.e2e.page.refresh.conftest import Tab
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer

ROUNDS = 8
SOON_MS = 300
_PRESS_AT = """([name, at]) => setTimeout(
  () => document.querySelector(`[data-testid="${name}"]`).click(), at - Date.now())"""
_HOLD_DENY = """() => {
  const deny = document.querySelector('[data-testid="deny"]');
  const {onClick} = deny[Object.keys(deny).find((name) => name.startsWith("__reactProps"))];
  window.pressLate = () => onClick({detail: 1});
}"""

Device = Callable[[ChatPage], ChatPage]


def press_at_once(one: ChatPage, first: str, other: ChatPage, second: str) -> None:
    """Both pages press within a few milliseconds."""
    at = one.page.evaluate("Date.now()") + SOON_MS
    one.page.evaluate(_PRESS_AT, [first, at])
    other.page.evaluate(_PRESS_AT, [second, at])


def test_approved_in_two_places_at_once_it_happens_once(
    chat: ChatPage, second_device: Device, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Cases B066, B067, B068, B085."""
    other: ChatPage | None = None
    for number in range(1, ROUNDS + 1):
        asks(chat, provider)
        other = other or second_device(chat).open(chat.sid)
        waits(other)
        other.busy()
        provider.say(AFTER)
        press_at_once(chat, "approve", other, "approve")
        for page in (chat, other):
            page.shows(BEFORE + AFTER)
            is_decided(page, "completed", "Approved")
            page.idle()
            expect(page.element("composer-hint")).to_have_text("")
            assert page.failures_seen() == []
        assert (len(mail_server.message_ids), len(provider.calls)) == (number, 2 * number)
    assert len(set(mail_server.message_ids)) == ROUNDS


def test_of_approve_and_deny_at_once_one_wins_and_both_show_it(
    chat: ChatPage, second_device: Device, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Case B068."""
    other: ChatPage | None = None
    approved = 0
    for _ in range(ROUNDS):
        asks(chat, provider)
        other = other or second_device(chat).open(chat.sid)
        waits(other)
        provider.say(AFTER)
        press_at_once(chat, "approve", other, "deny")
        for page in (chat, other):
            page.shows(BEFORE + AFTER)
            page.idle()
            has_no_buttons(page)
            assert page.failures_seen() == []
        words = card(chat).get_by_test_id("tool-fate").inner_text()
        assert card(other).get_by_test_id("tool-fate").inner_text() == words
        approved += words.startswith("Approved")
        assert words.startswith(("Approved", "Denied"))
        assert len(mail_server.message_ids) == approved


def test_whoever_decides_too_late_is_told_what_was_decided(
    chat: ChatPage, second_device: Device, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Case B072: also with a page that has not heard of it."""
    asks(chat, provider)
    other = second_device(chat).open(chat.sid)
    waits(other)
    call = card(other).get_attribute("data-call-id")
    other.page.evaluate(_HOLD_DENY)
    provider.say(AFTER)
    chat.element("approve").click()
    other.shows(BEFORE + AFTER)
    other.idle()
    other.page.evaluate("() => window.pressLate()")
    expect(other.element("composer-hint")).to_contain_text("Already approved")
    is_decided(other, "completed", "Approved")
    assert card(other).get_attribute("data-call-id") == call
    assert (len(mail_server.message_ids), len(provider.calls)) == (1, 2)


def test_a_double_click_denies_once_and_tells_the_reason(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Case B069."""
    asks(chat, provider)
    provider.say("Then not.")
    chat.element("deny-why").click()
    expect(chat.element("deny-reason")).to_be_focused()
    chat.page.keyboard.type("Not on Thursday")
    chat.element("deny").dblclick()
    chat.shows(BEFORE + "Then not.")
    is_decided(chat, "failed", "Denied", "denied")
    chat.idle()
    assert (len(provider.calls), mail_server.message_ids) == (2, [])
    assert "Not on Thursday" in str(provider.calls[1].body["messages"])
    chat.reload()
    card(chat).locator("summary").click()
    expect(card(chat)).to_contain_text("Not on Thursday")


def test_enter_in_the_reason_denies_and_the_keyboard_reaches_all_of_it(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    asks(chat, provider)
    provider.say("Then not.")
    chat.element("approve").focus()
    for name in ("deny", "deny-why"):
        chat.page.keyboard.press("Tab")
        expect(chat.element(name)).to_be_focused()
    chat.page.keyboard.press("Enter")
    expect(chat.element("deny-reason")).to_be_focused()
    chat.page.keyboard.type("No")
    chat.page.keyboard.press("Enter")
    is_decided(chat, "failed", "Denied", "denied")
    expect(card(chat)).to_be_focused()


def test_a_card_is_in_its_own_session_only(
    chat: ChatPage, tab: Tab, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Case B074."""
    asks(chat, provider)
    first = chat.named()
    chat.element("new-session").click()
    chat.ready("new")
    expect(chat.element("tool-call")).to_have_count(0)
    provider.say("Hello.")
    chat.say("Something else")
    chat.shows("Hello.")
    chat.idle()
    expect(chat.element("tool-call")).to_have_count(0)
    chat.page.locator(f"[data-session-id='{first}'] a, a[data-session-id='{first}']").first.click()
    chat.ready(first)
    waits(chat)
    expect(tab().open(first).element("tool-call")).to_have_count(1)
    assert mail_server.message_ids == []


@pytest.mark.parametrize("fresh", [False, True], ids=["the open tab", "a fresh browser"])
def test_a_card_survives_a_killed_server_and_is_decided_after_it(
    chat: ChatPage,
    second_device: Device,
    provider: ScriptedProvider,
    mail_server: SmtpServer,
    app: AppUnderTest,
    fresh: bool,
) -> None:
    """Cases B071, B080."""
    asks(chat, provider)
    app.kill()
    expect(chat.element("connection")).to_contain_text("econnect")
    expect(chat.element("approve")).to_be_visible()
    app.start()
    page = second_device(chat).open(chat.sid) if fresh else chat
    expect(page.element("connection")).to_have_attribute("data-state", "connected")
    waits(page)
    provider.say(AFTER)
    page.element("approve").click()
    for each in {page, chat}:
        each.shows(BEFORE + AFTER)
        each.ended("complete")
        each.idle()
        is_decided(each, "completed", "Approved")
    assert (len(mail_server.message_ids), len(provider.calls)) == (1, 2)


def test_a_server_killed_between_decision_and_call_runs_it_when_it_is_back(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, app: AppUnderTest
) -> None:
    """Case B083: what the decision's transaction leaves, when nothing of ours runs after it."""
    asks(chat, provider)
    call = card(chat).get_attribute("data-call-id")
    task = chat.answers.last.get_attribute("data-task-id")
    provider.say(AFTER)
    app.kill()
    with closing(sqlite3.connect(app.data_dir / "assistant.db")) as rows, rows:
        at = "2030-01-01 12:03:00.000000"
        rows.execute("UPDATE tool_call SET decision = 'approve', decided_at = ? WHERE id = ?", (at, call))
        rows.execute("UPDATE task SET state = 'tool_calling' WHERE id = ?", (task,))
    app.start()
    chat.shows(BEFORE + AFTER)
    chat.idle()
    is_decided(chat, "completed", "Approved")
    assert (len(mail_server.message_ids), len(provider.calls)) == (1, 2)


def test_a_mail_that_may_have_gone_is_told_so_and_marked_done(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, app: AppUnderTest
) -> None:
    """Case B062: the server dies while the mail server has the mail and has not said so."""
    mail_server.waits_after = "mail"
    asks(chat, provider)
    chat.element("approve").click()
    eventually_sync(lambda: len(mail_server.message_ids) == 1)
    app.kill()
    app.start()
    expect(chat.element("mark-done")).to_be_enabled(timeout=10_000)
    expect(card(chat)).to_contain_text("This may have happened. Check before you run it again.")
    expect(card(chat)).to_have_attribute("data-reason", "lost")
    expect(chat.element("continue")).to_have_count(0)
    for _ in range(3):
        chat.reload()
        expect(chat.element("run-again")).to_be_enabled()
    provider.say(AFTER)
    chat.element("mark-done").dblclick()
    chat.shows(BEFORE + AFTER)
    is_decided(chat, "completed", "Marked done")
    chat.reload()
    chat.shows(BEFORE + AFTER)
    assert (len(mail_server.message_ids), len(provider.calls)) == (1, 2)


def test_when_nobody_decides_in_time_it_says_so_and_can_be_asked_again(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, app: AppUnderTest
) -> None:
    """Case B072."""
    asks(chat, provider)
    with closing(sqlite3.connect(app.data_dir / "assistant.db")) as rows, rows:
        at, call = "2020-01-01 00:00:00.000000", card(chat).get_attribute("data-call-id")
        rows.execute("UPDATE tool_call SET expires_at = ? WHERE id = ?", (at, call))
    is_decided(chat, "failed", "Nobody decided in time", "expired")
    chat.ended("expired")
    chat.idle()
    chat.reload()
    is_decided(chat, "failed", "Nobody decided in time", "expired")

    ask_again = chat.element("continue")
    expect(ask_again).to_have_text("Ask again")
    ask_again.click()
    waits(chat)
    provider.say(AFTER)
    chat.element("approve").click()
    chat.shows(BEFORE + AFTER)
    assert (len(mail_server.message_ids), len(provider.calls)) == (1, 2)


def test_run_again_runs_it_once_more(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """The person looked: a call of its own, with a mail of its own."""
    mail_server.hangs_up_after = "mail"
    asks(chat, provider)
    chat.element("approve").click()
    expect(chat.element("run-again")).to_be_enabled()
    mail_server.hangs_up_after = ""
    provider.say(AFTER)
    chat.element("run-again").click()
    chat.shows(BEFORE + AFTER)
    is_decided(chat, "completed", "Approved")
    assert len(set(mail_server.message_ids)) == len(mail_server.message_ids) == 2
