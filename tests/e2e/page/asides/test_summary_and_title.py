"""What a model is asked beside answers: a title in the list, and a summary in one line between messages."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

OLD, NEW = "old " * 700, "new " * 475
"""Two answers which fit the window one by one, and not both."""

SUMMARY = "They said <b>old</b>\nand so on."

_STANDS_BETWEEN = """line => ["previousElementSibling", "nextElementSibling"]
  .map((side) => line[side]?.dataset.messageId)"""


def test_a_title_and_one_quiet_line_that_unfolds_and_is_deleted_on_every_device(
    chat: ChatPage, provider: ScriptedProvider, second_device: Callable[[ChatPage], ChatPage]
) -> None:
    """The text is shown as text; the messages stay; the same after a reload and elsewhere."""
    provider.say(OLD)
    provider.say('"Trains to Prague"')
    chat.say("How do I get there?")
    chat.shows(OLD)
    expect(chat.element("session-item")).to_have_text("Trains to Prague")
    chat.idle()
    provider.say(NEW)
    chat.say("Question 2")
    chat.shows(NEW)
    chat.idle()
    expect(chat.element("summary")).to_have_count(0)
    provider.say(SUMMARY)
    provider.say("And so on.")
    chat.say("Question 3")
    chat.shows("And so on.")
    chat.idle()

    line, text = chat.element("summary"), chat.element("summary-text")
    expect(line.locator("summary")).to_have_text("Earlier messages are summarised for the model")
    expect(text).to_be_hidden()
    ids = [message.id for message in chat.messages()]
    assert line.evaluate(_STANDS_BETWEEN) == ids[1:3]
    line.locator("summary").click()
    expect(text).to_have_text(SUMMARY, use_inner_text=True)
    assert text.locator("b").count() == 0
    chat.reload()
    expect(text).to_have_text(SUMMARY, use_inner_text=True)
    assert line.evaluate(_STANDS_BETWEEN) == ids[1:3]
    assert chat.wishes == ["send"] * 3, "unfolding and reloading ask for nothing"

    other = second_device(chat)
    other.open(chat.sid)
    expect(other.element("summary")).to_have_count(1)
    expect(other.element("session-item")).to_have_text("Trains to Prague")
    chat.element("summary-delete").click()
    for each in (chat, other):
        expect(each.element("summary")).to_have_count(0)
        each.reload()
        expect(each.element("summary")).to_have_count(0)
        assert [message.id for message in each.messages()] == ids
        each.no_failure()
    assert len(provider.calls) == 5
