"""A page of another origin has the user's cookie at its service, and gets nothing done and nothing told.

Other ports of the same host are the hard case: one site for the browser, so the cookie rides along.
"""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.page.permissions.foreign_site import ForeignSite
from tests.e2e.page.refresh.cards import asks, is_decided, waits
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.smtp_server import SmtpServer

ATTEMPTS = Path(__file__).with_name("foreign_page.js")
HOSTS = pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
"""The app is at 127.0.0.1: a page at localhost is of another site too."""


@HOSTS
def test_a_foreign_page_neither_hears_nor_disturbs_a_running_answer(
    chat: ChatPage, provider: ScriptedProvider, context: BrowserContext, foreign_site: ForeignSite, host: str
) -> None:
    """Cases B186, B187: cross-site, by every way that a page has to ask anything of another origin."""
    script = provider.script().say("So far. ").hold().say("And on.")
    chat.say("Hello?")
    chat.shows("So far. ")
    before = _snapshot(chat)

    tried = _tried(context, foreign_site.url(host), chat)

    assert set(tried.values()) == {"kept out"}, tried
    assert _snapshot(chat) == before
    chat.in_front()
    chat.busy()
    script.release()
    chat.shows("So far. And on.")
    chat.ended("complete")
    chat.no_failure()
    assert (chat.wishes, chat.sockets, len(provider.calls)) == (["send"], 1, 1)


@HOSTS
def test_a_foreign_page_decides_nothing(
    chat: ChatPage,
    provider: ScriptedProvider,
    mail_server: SmtpServer,
    context: BrowserContext,
    foreign_site: ForeignSite,
    host: str,
) -> None:
    """Case B187: K == 0, and the card is still pending for whom it asks."""
    asks(chat, provider)
    before = _snapshot(chat)

    tried = _tried(context, foreign_site.url(host), chat)

    assert set(tried.values()) == {"kept out"}, tried
    assert _snapshot(chat) == before
    chat.in_front()
    waits(chat)
    assert mail_server.mails == []
    provider.script().say("Done.")
    chat.element("approve").click()
    is_decided(chat, "completed", "Approved")
    assert len(mail_server.mails) == 1


def test_the_same_attempts_by_the_page_itself_are_carried_out(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """So that what keeps a foreign page out is its origin, and not a mistake in the attempts."""
    provider.script().say("So far. ").hold()
    chat.say("Hello?")
    chat.shows("So far. ")

    task = chat.answers.last.get_attribute("data-task-id")
    tried = _attempts(chat.page, chat)

    assert tried["socket"] == "let in: the socket is open"
    assert tried[f"read tasks/{task}"].startswith("let in")
    expect(chat.element("notice")).to_contain_text("was deleted")


def test_a_page_that_a_foreign_page_opened_tells_it_nothing(
    chat: ChatPage, provider: ScriptedProvider, context: BrowserContext, foreign_site: ForeignSite
) -> None:
    provider.say("For my eyes.")
    chat.say("Hello?")
    chat.shows("For my eyes.")
    foreign = context.new_page()
    foreign.goto(foreign_site.url("127.0.0.1"))

    with context.expect_page() as opening:
        foreign.evaluate("address => { window.opened = open(address) }", f"{chat.url}/?sid={chat.sid}")
    opened = ChatPage(opening.value, chat.url)
    opened.ready(chat.sid)
    told = foreign.evaluate(
        """() => ["document", "localStorage", "sessionStorage", "watched"].filter((name) => {
             try { return Boolean(window.opened[name]); } catch { return false; }
           })"""
    )

    assert told == []
    assert len(provider.calls) == 1


def _tried(context: BrowserContext, address: str, chat: ChatPage) -> dict[str, str]:
    """How every attempt ended, from a page at this address in the user's own browser."""
    foreign = context.new_page()
    foreign.goto(address)
    try:
        return _attempts(foreign, chat)
    finally:
        foreign.close()


def _attempts(page: Page, chat: ChatPage) -> dict[str, str]:
    page.evaluate(f"() => {{ {ATTEMPTS.read_text()} }}")
    call: dict[str, Any] = next(iter(_calls(chat)), {"id": chat.sid, "arguments_hash": "0" * 64})
    told = {
        "app": chat.url,
        "sid": chat.named(),
        "task": chat.answers.last.get_attribute("data-task-id"),
        "call": call["id"],
        "hash": call["arguments_hash"],
    }
    return page.evaluate("told => window.attempts(told)", told)


def _calls(chat: ChatPage) -> list[dict[str, Any]]:
    return [call for task in _snapshot(chat)["tasks"] for call in task["tool_calls"]]


def _snapshot(chat: ChatPage) -> dict[str, Any]:
    """All that the owner has, but for how far the last copy of a running text goes."""
    answer = chat.page.context.request.get(f"{chat.url}/api/sessions/{chat.sid}")
    assert answer.ok
    snapshot = answer.json()
    return {**snapshot, "tasks": [{**task, "offset": 0} for task in snapshot["tasks"]]}
