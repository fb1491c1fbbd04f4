"""Turns keep apart over a reload in a tool run, and what is deleted in one tab stays deleted in every tab."""

from playwright.sync_api import expect

from tests.e2e.page.refresh.cards import asks, card
from tests.e2e.page.refresh.conftest import Tab
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer


def test_what_is_sent_after_a_reload_in_a_tool_run_keeps_apart_from_it(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Case B182: the call belongs to its turn, the new send waits for it, and both turns end whole."""
    mail_server.waits_after = "mail"
    asks(chat, provider, before="I write. ")
    provider.script().say("It is away.")
    provider.script().say("The second answer.")
    chat.element("approve").click()
    expect(card(chat)).to_have_attribute("data-state", "executing")

    chat.reload()
    chat.say("And then?")
    expect(chat.element("outbox-item")).to_have_count(1)
    expect(card(chat)).to_have_attribute("data-state", "executing")
    assert len(provider.calls) == 1
    mail_server.go_on.set()

    chat.shows("The second answer.")
    chat.shows("I write. It is away.", number=0)
    assert [message.role for message in chat.messages()] == ["user", "assistant"] * 2
    expect(chat.answers.first.get_by_test_id("tool-call")).to_have_count(1)
    expect(chat.answers.last.get_by_test_id("tool-call")).to_have_count(0)
    expect(chat.outbox).to_have_count(0)
    assert len(mail_server.mails) == 1
    before = chat.messages()
    assert chat.reload().messages() == before


def test_the_first_turn_can_be_stopped_after_a_reload_in_its_tool_run(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    """Case B182: Stop is the stop of turn 1."""
    mail_server.waits_after = "mail"
    asks(chat, provider, before="I write. ")
    chat.element("approve").click()
    expect(card(chat)).to_have_attribute("data-state", "executing")

    chat.reload()
    chat.busy()
    chat.stop()

    chat.ended("stopped")
    chat.idle()
    mail_server.go_on.set()
    provider.say("The second answer.")
    chat.say("And then?")
    chat.shows("The second answer.")
    chat.shows("I write. ", number=0)


def test_a_session_deleted_in_one_tab_while_another_streams_is_gone_for_good(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B125: gone in both, no error loop, nothing comes back, and a late draft is kept nowhere."""
    script = provider.script().say("So far. ").hold().say("Too late.")
    chat.say("Hello?")
    chat.shows("So far. ")
    sid = chat.named()
    other = tab().open(sid)
    other.shows("So far. ")

    other.page.locator(".session-row").hover()
    other.element("delete").click()
    for each in (chat, other):
        each.in_front()
        expect(each.element("session-item")).to_have_count(0)
        expect(each.answers).to_have_count(0)
    script.release()
    late = chat.page.context.request.get(f"{chat.url}/api/sessions/{sid}")
    assert late.status == 404

    for each in (chat, other):
        each.in_front()
        each.open(sid)
        expect(each.element("notice")).to_have_count(1)
        assert each.messages() == []
        expect(each.element("session-item")).to_have_count(0)
    assert chat.sockets <= 2, "it opened sockets in a loop"
    assert (chat.wishes, len(provider.calls)) == (["send"], 1)


def test_a_reload_at_once_after_the_first_send_makes_one_session_and_history_goes_where_it_says(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B184: reload in less than 100 ms; Back and Forward three times."""
    provider.say("First answer.")
    chat.say("First")
    chat.reload(wait=False)
    chat.shows("First answer.")
    first = chat.named()
    chat.element("new-session").click()
    chat.ready("new")
    provider.say("Second answer.")
    chat.say("Second")
    chat.shows("Second answer.")
    second = chat.named()

    for _ in range(3):
        chat.page.go_back()
        chat.ready(first)
        chat.shows("First answer.")
        chat.page.go_forward()
        chat.ready(second)
        chat.shows("Second answer.")

    expect(chat.element("session-item")).to_have_count(2)
    assert len(provider.calls) == 2
