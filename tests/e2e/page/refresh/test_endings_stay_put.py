"""A refresh is invisible in the states that are rarer: each way to end, each thing that waits or is said."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS
from tests.e2e.page.refresh.answers import CHUNKS, WHOLE, held_after, so_far
from tests.e2e.page.refresh.test_stays_put import SEEN
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

UNSENT = """text => localStorage.setItem("outbox:k-1", JSON.stringify({
  key: "k-1", sid: new URL(location).searchParams.get("sid") ?? "", text, at: 1
}))"""


def was_stopped_before_a_word(chat: ChatPage, provider: ScriptedProvider) -> None:
    script = provider.script().hang_before_first()
    chat.say("Think first")
    script.held_sync()
    chat.stop()
    chat.ended("stopped")


def was_refused(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.key = "another"
    chat.say("A question")
    chat.ended("error")


def was_refused_and_looked_into(chat: ChatPage, provider: ScriptedProvider) -> None:
    was_refused(chat, provider)
    chat.page.get_by_text("Details").click()
    expect(chat.page.locator(".failed code")).to_be_visible()


def ran_out_of_room(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.script().say(so_far(20)).finish("length")
    chat.say("Count for me")
    chat.ended("length")


def failed_in_reasoning(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.script().reason("A thought.").break_off()
    chat.say("Think")
    chat.ended("error")


def is_tried_again(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.script().say("Half an ans").break_off()
    chat.say("Count for me")
    chat.ended("error")
    held_after(provider, 20)
    chat.element("retry").click()
    chat.shows(so_far(20))


def was_tried_again(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.script().say("Half an ans").break_off()
    chat.say("Count for me")
    chat.ended("error")
    provider.say(*CHUNKS)
    chat.element("retry").click()
    chat.shows(WHOLE)
    chat.ended("complete")


def is_continued(chat: ChatPage, provider: ScriptedProvider) -> None:
    ran_out_of_room(chat, provider)
    held_after(provider, 5, chunks=CHUNKS[20:])
    chat.element("continue").click()
    chat.shows(so_far(25))


def was_continued(chat: ChatPage, provider: ScriptedProvider) -> None:
    ran_out_of_room(chat, provider)
    provider.say(*CHUNKS[20:])
    chat.element("continue").click()
    chat.shows(WHOLE)
    chat.ended("complete")


def has_reasoning_open_and_a_draft(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.script().reason("First this, ", "then that.").say("An answer").hold()
    chat.say("Think")
    chat.holds("First this, then that.An answer")
    chat.element("reasoning").locator("summary").click()
    chat.composer.fill("The next question,\nin two lines\nor three")


def has_an_unsent_message(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.say(so_far(5))
    chat.say("Count for me")
    chat.ended("complete")
    chat.page.evaluate(UNSENT, "Never sent")
    chat.reload()
    expect(chat.outbox).to_have_attribute("data-state", "unsent")


def has_a_notice(chat: ChatPage, _: ScriptedProvider) -> None:
    chat.open("0190a0a0-0000-7000-8000-000000000000")
    expect(chat.element("notice")).to_be_visible()


STATES = (
    was_stopped_before_a_word,
    was_refused,
    was_refused_and_looked_into,
    ran_out_of_room,
    failed_in_reasoning,
    is_tried_again,
    was_tried_again,
    is_continued,
    was_continued,
    has_reasoning_open_and_a_draft,
    has_an_unsent_message,
    has_a_notice,
)

Bring = Callable[[ChatPage, ScriptedProvider], None]


@pytest.mark.parametrize("bring", STATES, ids=lambda bring: bring.__name__)
def test_a_refresh_changes_nothing(chat: ChatPage, provider: ScriptedProvider, bring: Bring) -> None:
    """The simulated one first, then the real one; neither says or asks anything of anybody."""
    bring(chat, provider)
    is_the_same_after_both(chat)


def test_a_refresh_changes_nothing_when_a_kill_has_interrupted_the_answer(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B050."""
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    chat.kept()
    app.kill()
    app.start()
    chat.ended("interrupted", within=TRUE_WITHIN_SECONDS)
    chat.ready()
    is_the_same_after_both(chat)


def is_the_same_after_both(chat: ChatPage) -> None:
    place, before = chat.scroll_place(), chat.picture()
    shown, wishes = (chat.messages(), told(chat)), list(chat.wishes)

    assert chat.simulate_refresh() == "Nothing changed."
    assert (chat.messages(), told(chat)) == shown
    assert chat.difference(before, chat.picture()) < SEEN

    chat.reload()
    after = chat.scroll_place()
    assert abs(after.top - place.top) <= 2
    assert (chat.messages(), told(chat)) == shown
    assert chat.layout_shifts() == []
    expect(chat.page.locator('[data-testid="outbox-item"][data-state="sending"]')).to_have_count(0)
    assert chat.difference(before, chat.picture()) < SEEN
    assert chat.wishes == wishes


def told(chat: ChatPage) -> list[str]:
    """What each answer says of itself, but for the attempt of one that has no text: nobody sees it."""
    return [re.sub(r"\d+ 0 0$", "0 0", said) for said in chat.held()]
