"""Versions of messages on the page: what is chosen stays so, over reloads and while an answer is written."""

from playwright.sync_api import expect

from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


def places(chat: ChatPage, *texts: str) -> None:
    expect(chat.element("sibling-place")).to_have_text(list(texts))


def test_answering_again_leaves_the_older_version_further_up_chosen(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B171: reloaded in mid-stream and at the end."""
    provider.say("A1.")
    chat.say("Q1")
    chat.shows("A1.")
    chat.idle()
    provider.say("B1.")
    chat.composer.focus()
    chat.page.keyboard.press("ArrowUp")
    chat.composer.fill("P1")
    chat.page.keyboard.press("Enter")
    chat.shows("B1.")
    chat.idle()
    chat.element("message").first.hover()
    chat.element("sibling-earlier").first.click()
    chat.shows("A1.")
    provider.say("A2.")
    chat.say("Q2")
    chat.shows("A2.", number=1)
    chat.idle()

    script = provider.script().say("Again").hold().say(" and again.")
    chat.element("message").last.hover()
    chat.element("regenerate").last.click()
    for _ in range(2):
        chat.shows("Again", number=1)
        chat.shows("A1.", number=0)
        places(chat, "1 / 2", "2 / 2")
        chat.reload()
    chat.busy()
    script.release()
    for _ in range(2):
        chat.shows("Again and again.", number=1)
        chat.shows("A1.", number=0)
        chat.ended("complete")
        places(chat, "1 / 2", "2 / 2")
        assert [message.role for message in chat.messages()] == ["user", "assistant"] * 2
        chat.reload()
    chat.element("message").last.hover()
    chat.element("sibling-earlier").last.click()
    chat.shows("A2.", number=1)
    chat.reload()
    chat.shows("A2.", number=1)
    chat.shows("A1.", number=0)
    places(chat, "1 / 2", "1 / 2")
    assert len(provider.calls) == 4
