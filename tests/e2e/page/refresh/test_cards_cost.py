"""What a call costs on its way to the page does not grow with the calls before it."""

from playwright.sync_api import expect

from tests.e2e.page.refresh.cards import MAIL
from tests.e2e.page.refresh.test_stays_put import SEEN
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.page_waits import until
from tests.support.smtp_server import SmtpServer

LONG = {**MAIL, "text": "A line of a long mail.\n" * 800}
ROUNDS = 6
RECONNECT_BYTES = 20_000


def test_long_mails_before_it_make_a_mail_no_dearer(
    chat: ChatPage, provider: ScriptedProvider, mail_server: SmtpServer
) -> None:
    costs = []
    for number in range(ROUNDS):
        heard = len(chat.heard)
        provider.script().call("send_mail", LONG)
        provider.say(f"Mail {number} is away.")
        chat.say(f"Mail {number}")
        chat.element("approve").click()
        chat.shows(f"Mail {number} is away.")
        chat.ended("complete")
        chat.idle()
        costs.append(sum(map(len, chat.heard[heard:])))
    assert costs[-1] < 2 * costs[0], costs
    expect(chat.element("tool-call")).to_have_count(ROUNDS)
    assert len(mail_server.message_ids) == ROUNDS

    before = chat.picture()
    heard = len(chat.heard)
    chat.page.evaluate("window.watched.sockets.at(-1).close()")
    until(chat.page, "window.watched.sockets.length > 1")
    expect(chat.element("connection")).to_have_attribute("data-state", "connected")
    assert sum(map(len, chat.heard[heard:])) <= RECONNECT_BYTES
    chat.reload()
    expect(chat.element("tool-call")).to_have_count(ROUNDS)
    assert chat.difference(before, chat.picture()) < SEEN
