"""One press is one message, and only a press is: on the whole page, over lines that lose what they carry."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine, Way

SLOW_SECONDS = 60.0
"""Longer than any test: what goes this way does not arrive before the line is cut."""


@pytest.fixture
def line(app: AppUnderTest) -> Iterator[SlowLine]:
    with SlowLine(app.port) as line:
        yield line


@pytest.fixture
def chat(provider: ScriptedProvider, line: SlowLine, context: BrowserContext) -> ChatPage:
    """Behind a line that can be cut."""
    return ChatPage(context.new_page(), line.url).open()


def clicks_twice(chat: ChatPage) -> None:
    chat.element("send").dblclick()


def holds_enter(chat: ChatPage) -> None:
    chat.composer.focus()
    for _ in range(20):
        chat.page.keyboard.down("Enter")
    chat.page.keyboard.up("Enter")


@pytest.mark.parametrize("press", [clicks_twice, holds_enter])
def test_a_hasty_press_sends_once(
    chat: ChatPage, provider: ScriptedProvider, press: Callable[[ChatPage], None]
) -> None:
    """Case B100: and the second half of the haste is no press of Stop, which takes the place of Send."""
    script = held_after(provider, 20)
    chat.composer.fill("Count for me")
    press(chat)
    chat.shows(so_far(20))
    chat.busy()
    script.release()
    chat.ended("complete")
    assert chat.wishes == ["send"]
    assert [message.role for message in chat.messages()] == ["user", "assistant"]
    assert len(provider.calls) == 1


def test_enter_and_then_a_click_on_the_same_place_send_once(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B100: while the reply is on its way the button is still Send, and locked."""
    script = held_after(provider, 20)
    chat.composer.fill("Count for me")
    send = chat.element("send").bounding_box()
    assert send is not None
    line.slow_down(Way.TO_BROWSER, 0.3)
    chat.composer.press("Enter")
    chat.page.mouse.click(send["x"] + send["width"] / 2, send["y"] + send["height"] / 2)
    chat.shows(so_far(20))
    script.release()
    chat.ended("complete")
    assert chat.wishes == ["send"]
    assert [message.role for message in chat.messages()] == ["user", "assistant"]
    assert len(provider.calls) == 1


def test_a_reply_that_is_lost_with_the_line_costs_nothing(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B102, B104: the server has the message, the page asks under the same key and stands in its run."""
    script = held_after(provider, 20)
    chat.watch_for("Count for me")
    line.slow_down(Way.TO_BROWSER, SLOW_SECONDS)
    chat.say("Count for me")
    provider.called_sync()
    script.held_sync()
    line.cut()
    expect(chat.element("connection")).to_have_attribute("data-state", "reconnecting")
    expect(chat.outbox).to_have_attribute("data-state", "sending")
    line.mend()

    chat.shows(so_far(20))
    expect(chat.outbox).to_have_count(0)
    chat.busy()
    script.release()
    chat.shows(WHOLE)
    assert chat.places_seen() in ([0, 1], [1])
    assert (chat.wishes, chat.documents()) == (["send"], 1)
    assert [message.role for message in chat.messages()] == ["user", "assistant"]
    assert len(provider.calls) == 1


def test_a_message_that_was_lost_with_the_line_and_the_next_text_both_stay(
    chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B111, B102: unsent with its buttons, over a reload, and it goes when the user says so."""
    line.slow_down(Way.TO_SERVER, SLOW_SECONDS)
    chat.say("The first")
    chat.composer.fill("The second")
    line.cut()
    expect(chat.element("connection")).to_have_attribute("data-state", "reconnecting")
    line.mend()
    for _ in range(2):
        expect(chat.outbox).to_have_attribute("data-state", "unsent")
        expect(chat.outbox).to_contain_text("The first")
        expect(chat.composer).to_have_value("The second")
        chat.reload()
    assert (chat.wishes, provider.calls) == (["send"], [])

    provider.say("An answer.")
    chat.element("outbox-send").click()
    chat.shows("An answer.")
    expect(chat.outbox).to_have_count(0)
    expect(chat.composer).to_have_value("The second")
    assert provider.calls[0].question == "The first"
    assert [message.role for message in chat.messages()] == ["user", "assistant"]


def test_a_message_stays_where_it_is_while_the_page_is_restored_under_it(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B104, B106: in no frame is it gone or twice there."""
    script = provider.script().hang_before_first().say("An answer.")
    chat.watch_for("Hold this, please")
    chat.say("Hold this, please")
    for _ in range(3):
        assert chat.simulate_refresh()
    script.held_sync()
    assert chat.simulate_refresh() == "Nothing changed."
    script.release()
    chat.shows("An answer.")
    assert chat.places_seen() in ([0, 1], [1])


def test_equal_words_are_messages_of_their_own(chat: ChatPage, provider: ScriptedProvider) -> None:
    """Case B107."""
    for number in range(1, 4):
        provider.say(f"Answer {number}.")
        chat.say("continue")
        chat.shows(f"Answer {number}.", number=number - 1)
        chat.idle()
    for _ in range(2):
        assert chat.page.locator('[data-role="user"] .st-user').all_inner_texts() == ["continue"] * 3
        assert len({message.id for message in chat.messages()}) == 6
        chat.reload()


def test_a_message_can_be_sent_before_the_page_is_restored(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B112: sending does not wait for the history, which comes around it."""
    provider.say("Answer 1.")
    chat.say("Question 1")
    chat.shows("Answer 1.")
    chat.idle()
    provider.say("Answer 2.")
    chat.reload(wait=False)
    chat.say("Question 2")
    chat.shows("Answer 2.")
    chat.shows("Answer 1.", number=0)
    assert [message.role for message in chat.messages()] == ["user", "assistant"] * 2
    expect(chat.outbox).to_have_count(0)
    expect(chat.composer).to_have_value("")
    assert len(provider.calls) == 2


def completes(chat: ChatPage, script: Script) -> None:
    script.release()
    chat.ended("complete")


def is_stopped(chat: ChatPage, _: Script) -> None:
    chat.stop()
    chat.ended("stopped")


def fails(chat: ChatPage, script: Script) -> None:
    script.release()
    chat.ended("error")


def test_a_failed_answer_is_tried_again_once_and_only_by_a_click(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B114, B169: the question keeps its id, and is answered in one new run."""
    provider.script().say(so_far(10)).break_off()
    chat.say("Count for me")
    chat.ended("error")
    question = chat.messages()[0]
    chat.reload()
    chat.shows(so_far(10))
    chat.idle()
    assert len(provider.calls) == 1

    script = held_after(provider, 20)
    chat.element("retry").click()
    chat.shows(so_far(20))
    chat.reload()
    assert chat.holds_now(so_far(20))
    chat.busy()
    script.release()
    for _ in range(2):
        chat.shows(WHOLE)
        chat.ended("complete")
        assert [message.role for message in chat.messages()] == ["user", "assistant"]
        assert chat.messages()[0] == question
        chat.reload()
    assert chat.wishes == ["send", "retry"]
    assert len(provider.calls) == 2
