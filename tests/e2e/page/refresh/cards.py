"""What these tests ask of the model and of a person: a mail that is sent once a person approved it."""

from playwright.sync_api import Locator, expect

from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

TEXT = "Dear Ada,\n\nshall we have lunch on Thursday?"
MAIL = {"to": "ada@example.org", "subject": "Lunch?", "text": TEXT}
BEFORE = "I write to Ada. "
AFTER = "The mail is away."


def asks(chat: ChatPage, provider: ScriptedProvider, *, before: str = BEFORE) -> None:
    """The answer stands at a card that waits for a decision."""
    script = provider.script()
    if before:
        script.say(before)
    script.call("send_mail", MAIL)
    chat.say("Invite Ada to lunch")
    waits(chat)


def waits(chat: ChatPage) -> None:
    """The card is there, with all that a person has to know, and can be decided about."""
    expect(card(chat)).to_have_attribute("data-state", "requested")
    for words in ("Send a mail to ada@example.org: Lunch?", TEXT, "It ends"):
        expect(card(chat)).to_contain_text(words, use_inner_text=True)
    expect(chat.element("approve")).to_be_enabled()
    expect(chat.element("deny")).to_be_enabled()


def card(chat: ChatPage) -> Locator:
    """The call that came last."""
    return chat.element("tool-call").last


def has_no_buttons(chat: ChatPage) -> None:
    """Nothing is asked of anybody."""
    for name in ("approve", "deny", "mark-done", "run-again"):
        expect(chat.element(name)).to_have_count(0)


def is_decided(chat: ChatPage, state: str, words: str, reason: str = "") -> None:
    """The card says what was decided and what came of it, and asks nothing."""
    expect(card(chat)).to_have_attribute("data-state", state)
    expect(card(chat)).to_have_attribute("data-reason", reason)
    expect(card(chat).get_by_test_id("tool-fate")).to_contain_text(words)
    has_no_buttons(chat)
