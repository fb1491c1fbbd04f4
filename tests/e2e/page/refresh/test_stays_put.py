"""A refresh is invisible: nothing moves, nothing opens or closes, and the page stands where it stood."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.page.refresh.answers import held_after, so_far
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider

SENTENCE = "A sentence that is long enough to fill a line of the column and then a little more of it. "
SEEN = 40
"""A difference of two pictures that a person sees; edges may be rounded another way."""

PARAGRAPHS = tuple(f"Paragraph {number}. {SENTENCE * 2}\n\n" for number in range(1, 41))


def nothing(chat: ChatPage, _: ScriptedProvider) -> None:
    chat.element("empty-state").wait_for()


def waits_for_the_first_token(chat: ChatPage, provider: ScriptedProvider) -> None:
    script = provider.script().hang_before_first()
    chat.say("Think first")
    script.held_sync()
    chat.shows("")
    expect(chat.answers.last).to_have_attribute("data-state", "streaming")


def grows(chat: ChatPage, provider: ScriptedProvider) -> None:
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))


def thinks(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.script().reason("First this, ", "then that, ").hold()
    chat.say("Think")
    chat.holds("First this, then that, ")


def grows_longer_than_the_window(chat: ChatPage, provider: ScriptedProvider) -> None:
    held_after(provider, 30, chunks=PARAGRAPHS)
    chat.say("Something long")
    chat.shows("".join(PARAGRAPHS[:30]))


def stands_in_a_fence(chat: ChatPage, provider: ScriptedProvider) -> None:
    text = "Some code:\n\n```python\ndef half(it):\n    return it /"
    provider.say(text).hold()
    chat.say("Code")
    chat.holds(text)


def is_done(chat: ChatPage, provider: ScriptedProvider) -> None:
    text = "# Done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint('it')\n```\n\n- one\n- two\n"
    text += "\n$$\n\\begin{pmatrix} 1 \\\\ 2 \\\\ 3 \\end{pmatrix}\n$$\n\nThat was $x^2$, below it.\n"
    provider.script().reason("A thought.").say(text)
    chat.say("Everything")
    chat.ended("complete")
    expect(chat.answers.last.locator("math")).to_have_count(2)


def was_stopped(chat: ChatPage, provider: ScriptedProvider) -> None:
    grows(chat, provider)
    chat.stop()
    chat.ended("stopped")


def has_failed(chat: ChatPage, provider: ScriptedProvider) -> None:
    provider.script().say("Half an ans").break_off()
    chat.say("Count for me")
    chat.ended("error")


STATES = (
    nothing,
    waits_for_the_first_token,
    thinks,
    grows,
    stands_in_a_fence,
    grows_longer_than_the_window,
    is_done,
    was_stopped,
    has_failed,
)

Bring = Callable[[ChatPage, ScriptedProvider], None]


@pytest.mark.parametrize("bring", STATES, ids=lambda bring: bring.__name__)
def test_a_reload_changes_no_pixel_and_moves_nothing(
    chat: ChatPage, provider: ScriptedProvider, bring: Bring
) -> None:
    """Case B173, B175."""
    bring(chat, provider)
    place, before = chat.scroll_place(), chat.picture()

    chat.reload()
    after = chat.scroll_place()
    assert abs(after.top - place.top) <= 2
    assert chat.layout_shifts() == []
    assert chat.difference(before, chat.picture()) < SEEN


@pytest.mark.parametrize("bring", STATES, ids=lambda bring: bring.__name__)
def test_a_simulated_refresh_changes_nothing(
    chat: ChatPage, provider: ScriptedProvider, bring: Bring
) -> None:
    bring(chat, provider)
    shown, before = (chat.messages(), chat.held()), chat.picture()

    assert chat.simulate_refresh() == "Nothing changed."
    assert (chat.messages(), chat.held()) == shown
    assert chat.difference(before, chat.picture()) < SEEN


@pytest.mark.parametrize("finished", [False, True], ids=["streaming", "finished"])
def test_a_page_at_the_bottom_is_there_again_and_follows(
    chat: ChatPage, provider: ScriptedProvider, finished: bool
) -> None:
    """Case B173."""
    script = held_after(provider, 30, chunks=PARAGRAPHS)
    chat.say("Something long")
    chat.shows("".join(PARAGRAPHS[:30]))
    if finished:
        script.release()
        chat.ended("complete")
    before = chat.scroll_place()
    assert before.to_bottom <= 2

    chat.reload()
    after = chat.scroll_place()
    assert after.to_bottom <= 2
    assert after.message == before.message
    assert abs(after.edge - before.edge) <= 2
    if not finished:
        script.release()
        chat.shows("".join(PARAGRAPHS))
        chat.ended("complete")
        assert chat.scroll_place().to_bottom <= 2


def test_a_page_in_the_middle_of_a_long_thread_is_there_again(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B175."""
    for number in range(3):
        provider.say(*PARAGRAPHS[:20])
        chat.say(f"Something long, number {number}")
        chat.shows("".join(PARAGRAPHS[:20]), number=number)
        chat.idle()
    chat.scroll_up(1500)
    before = chat.scroll_place()
    assert before.to_bottom > 500

    for _ in range(2):
        chat.reload()
        after = chat.scroll_place()
        assert after.message == before.message
        assert abs(after.edge - before.edge) <= 2


def test_an_answer_that_grows_does_not_move_who_scrolled_up(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B173: neither before a reload nor after it."""
    script = held_after(provider, 20, 25, chunks=PARAGRAPHS)
    chat.say("Something long")
    chat.shows("".join(PARAGRAPHS[:20]))
    chat.scroll_up(900)
    before = chat.scroll_place()

    script.release()
    chat.shows("".join(PARAGRAPHS[:25]))
    assert abs(chat.scroll_place().edge - before.edge) <= 2
    chat.reload()
    assert abs(chat.scroll_place().edge - before.edge) <= 2
    script.release()
    chat.shows("".join(PARAGRAPHS))
    assert abs(chat.scroll_place().edge - before.edge) <= 2
