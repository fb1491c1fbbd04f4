"""Stop, in every state and by every way to the page: the text is final then, kept, and marked as stopped."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.slow_line import SlowLine

FENCE = "Some code:\n\n```python\ndef half(it):\n    return it /"

Bring = Callable[[ChatPage, ScriptedProvider], str]
"""Brings the page into a state; returns the text that it shows then."""


def before_a_word(chat: ChatPage, provider: ScriptedProvider) -> str:
    script = provider.script().hang_before_first()
    chat.say("Think first")
    script.held_sync()
    return ""


def in_mid_answer(chat: ChatPage, provider: ScriptedProvider) -> str:
    held_after(provider, 20)
    chat.say("Count for me")
    return so_far(20)


def while_thinking(chat: ChatPage, provider: ScriptedProvider) -> str:
    provider.script().reason("First this, ", "then that, ").hold()
    chat.say("Think")
    return "First this, then that, "


def in_a_fence(chat: ChatPage, provider: ScriptedProvider) -> str:
    provider.say(FENCE).hold()
    chat.say("Code")
    return FENCE


def on_a_second_try(chat: ChatPage, provider: ScriptedProvider) -> str:
    provider.fail(400)
    chat.say("Count for me")
    chat.ended("error")
    held_after(provider, 20)
    chat.element("retry").click()
    return so_far(20)


STATES = (before_a_word, in_mid_answer, while_thinking, in_a_fence, on_a_second_try)


def here(chat: ChatPage, _: Tab) -> ChatPage:
    return chat


def after_a_reload(chat: ChatPage, _: Tab) -> ChatPage:
    return chat.reload()


def in_another_tab(chat: ChatPage, tab: Tab) -> ChatPage:
    return tab().open(chat.named())


WAYS = (here, after_a_reload, in_another_tab)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("bring", STATES, ids=lambda bring: bring.__name__)
def test_a_stop_is_final_wherever_it_is_pressed(
    chat: ChatPage,
    provider: ScriptedProvider,
    tab: Tab,
    bring: Bring,
    way: Callable[[ChatPage, Tab], ChatPage],
) -> None:
    """Cases B086, B087, B089, B091, B092, B095."""
    text = bring(chat, provider)
    chat.holds(text)
    calls = len(provider.calls)
    presser = way(chat, tab)
    presser.holds(text)
    presser.stop()
    provider.disconnected_sync(calls, within=2.0)

    for page in {chat, presser}:
        page.in_front()
        page.ended("stopped")
        page.holds(text)
        page.idle()
        assert [message.role for message in page.messages()] == ["user", "assistant"]
        expect(page.element("error")).to_have_count(0)
    provider.release(calls, times=1)
    presser.reload()
    presser.ended("stopped")
    presser.holds(text)
    expect(presser.element("retry")).to_be_visible()
    assert len(provider.calls) == calls


def test_a_stop_before_the_server_has_said_anything_wins(
    far_chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B093: the message is on its way, and nobody knows a task yet."""
    script = held_after(provider, 20)
    line.hold_back()
    far_chat.say("Count for me")
    far_chat.page.keyboard.press("Escape")
    line.let_go()
    expect(far_chat.outbox).to_have_count(0)
    far_chat.idle()
    if far_chat.answers.count():
        far_chat.ended("stopped")
        provider.disconnected_sync(1, within=2.0) if provider.calls else None
    else:
        expect(far_chat.composer).to_have_value("Count for me")
        assert provider.calls == []
    script.release()
    before = far_chat.held()
    far_chat.reload()
    far_chat.idle()
    assert far_chat.held() == before
    far_chat.no_failure()


def test_a_stop_that_is_late_keeps_what_came_until_the_server_had_it_and_not_a_word_more(
    far_chat: ChatPage, provider: ScriptedProvider, line: SlowLine
) -> None:
    """Case B089, B177: the tolerance is the way of the Stop; then page, store and a reload agree."""
    script = held_after(provider, 20, 30)
    far_chat.say("Count for me")
    far_chat.shows(so_far(20))
    line.hold_back()
    far_chat.stop()
    script.release()
    script.held_sync(2)
    far_chat.holds(so_far(20))
    line.let_go()
    far_chat.ended("stopped")
    provider.disconnected_sync(1, within=2.0)
    script.release()
    before = far_chat.held()
    text = far_chat.text_of(far_chat.answers.last)
    assert so_far(30).startswith(text)
    assert text.startswith(so_far(20).strip())
    for _ in range(2):
        far_chat.reload()
        far_chat.ended("stopped")
        assert far_chat.held() == before
    far_chat.no_failure()


def test_a_stop_on_another_device_stops_it_here(
    chat: ChatPage, provider: ScriptedProvider, second_device: Callable[[ChatPage], ChatPage]
) -> None:
    """Case B087: the other browser knows the task from the server alone."""
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    other = second_device(chat).open(chat.sid)
    other.shows(so_far(20))
    other.stop()
    for page in (other, chat):
        page.in_front()
        page.ended("stopped")
        page.holds(so_far(20))
        page.idle()
    provider.disconnected_sync(1, within=2.0)
