"""The four wishes about a call over a line that fails at every point: done once, or offered again."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.cards import AFTER, BEFORE, asks, has_no_buttons
from tests.e2e.page.refresh.test_wishes_once import Fault, Line
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer


def waiting(chat: ChatPage, provider: ScriptedProvider, _: SmtpServer) -> None:
    asks(chat, provider)


def in_doubt(chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer) -> None:
    mail_server.hangs_up_after = "mail"
    asks(chat, provider)
    chat.element("approve").click()
    expect(chat.element("run-again")).to_be_enabled()
    mail_server.hangs_up_after = ""


@dataclass(frozen=True)
class Wish:
    """How a page comes to where it can be wished, by which button, and how many mails there are then."""

    name: str
    prepare: Callable[[ChatPage, ScriptedProvider, SmtpServer], None]
    button: str
    mails: int


WISHES = (
    Wish("decide", waiting, "approve", 1),
    Wish("decide", waiting, "deny", 0),
    Wish("mark_done", in_doubt, "mark-done", 1),
    Wish("run_again", in_doubt, "run-again", 2),
)


@pytest.mark.parametrize("fault", Fault, ids=lambda fault: fault.name.lower())
@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.button)
def test_a_wish_about_a_call_is_carried_out_once_or_offered_again(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer, wish: Wish, fault: Fault
) -> None:
    """Cases B069, B100, B134."""
    line = Line()
    chat.page.route_web_socket(re.compile("/_event"), line.opened)
    chat.reload()
    wish.prepare(chat, provider, mail_server)
    provider.say(AFTER)
    line.befall(wish.name, fault)
    chat.element(wish.button).click()
    eventually_sync(lambda: chat.page.evaluate("1") and line.happened)

    if fault is Fault.LATE:
        expect(chat.element("connection")).to_have_attribute("data-state", "connected")
        line.held.pop()()
    if fault is Fault.LOST:
        expect(chat.element("composer-hint")).to_contain_text("did not reach the server")
        chat.element(wish.button).click()
    for _ in range(2):
        chat.shows(BEFORE + AFTER)
        chat.ended("complete")
        chat.idle()
        has_no_buttons(chat)
        chat.reload()
    assert (len(provider.calls), len(mail_server.message_ids)) == (2, wish.mails)
