"""A tab that goes, in any way, takes nothing with it: neither the question, nor the text, nor the run."""

import contextlib

import pytest
from playwright.sync_api import Error

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, said_to
from tests.e2e.page.refresh.answers import CHUNKS, WHOLE, held_after, so_far
from tests.e2e.page.refresh.conftest import Tab
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


def test_a_tab_that_crashes_before_the_first_word_loses_no_question(
    chat: ChatPage, provider: ScriptedProvider, tab: Tab
) -> None:
    """Case B008: the provider is called, so the message was accepted; no code of the page runs any more."""
    script = provider.script().hang_before_first().say(*CHUNKS)
    chat.say("Think first")
    script.held_sync()
    sid = chat.named()
    crashes(chat)

    again = tab().open(sid)
    assert [message.role for message in again.messages()] == ["user", "assistant"]
    assert "Think first" in again.page.locator('[data-role="user"]').inner_text()
    again.shows("")
    again.busy()
    script.release()
    again.shows(WHOLE)
    again.ended("complete")
    again.no_failure()
    assert len(provider.calls) == 1


@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "running"])
def test_a_question_and_its_half_answer_are_there_once_after_a_reload(
    chat: ChatPage, provider: ScriptedProvider, stopped: bool
) -> None:
    """Case B004: with the ids that they had live; and the model is told of the half answer next time."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    live = chat.messages()
    if stopped:
        chat.stop()
        chat.ended("stopped")

    chat.reload()
    assert chat.holds_now(so_far(20))
    assert chat.messages() == live
    if not stopped:
        chat.stop()
        chat.ended("stopped")
    script.release()
    provider.say("Forty.")
    chat.say("How far would you have come?")
    chat.shows("Forty.")
    assert chat.messages()[:2] == live
    assert said_to(provider.calls[1])[-3:] == [
        ("user", "Count for me"),
        ("assistant", so_far(20)),
        ("user", "How far would you have come?"),
    ]


def test_a_run_that_goes_on_never_looks_failed_or_at_rest_over_reloads(
    chat: ChatPage, provider: ScriptedProvider
) -> None:
    """Case B003, B044: in no frame of any document, from the first thought to the end."""
    script = provider.script().hang_before_first().reason("A thought. ").hold().say("Some text, ").hold()
    script.say("and more.")
    chat.say("Think")
    script.held_sync()
    for held in ("", "A thought. ", "A thought. Some text, "):
        chat.holds(held)
        chat.reload()
        assert chat.holds_now(held)
        chat.busy()
        assert (chat.failures_seen(), chat.endings_seen()) == ([], [])
        assert chat.busy_seen()[-1:] == [True]
        assert chat.busy_seen().count(True) == 1
        script.release()
    chat.ended("complete")
    chat.idle()
    assert chat.busy_seen()[-2:] == [True, False]
    assert chat.failures_seen() == []


def test_a_finished_session_never_looks_busy(chat: ChatPage, provider: ScriptedProvider, tab: Tab) -> None:
    """Case B039: in no frame, in a new tab and after a reload; and it takes the next message."""
    provider.say(*CHUNKS)
    chat.say("Count for me")
    chat.ended("complete")

    other = tab().open(chat.sid)
    chat.reload()
    for page in (other, chat):
        page.in_front()
        page.shows(WHOLE)
        page.idle()
        assert page.busy_seen() == [False]
    provider.say("Again.")
    other.say("And now?")
    other.shows("Again.")
    chat.shows("Again.")


def test_a_kill_before_the_first_word_is_made_good_on_a_page_that_stayed_open(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B050: nothing was said, so it is asked again; no modal, and no wait that never ends."""
    script = provider.script().hang_before_first()
    provider.say(*CHUNKS)
    chat.say("Think first")
    script.held_sync()
    chat.shows("")
    before = chat.messages()

    app.kill()
    app.start()
    chat.shows(WHOLE, within=TRUE_WITHIN_SECONDS)
    chat.ended("complete")
    chat.idle()
    assert chat.busy_seen()[-1] is False
    assert chat.messages() == before
    assert (chat.failures_seen(), chat.documents()) == ([], 1)
    assert len(provider.calls) == 2


def crashes(chat: ChatPage) -> None:
    """The tab's process ends as if it were killed."""
    with chat.page.expect_event("crash"), contextlib.suppress(Error):
        chat.page.goto("chrome://crash", wait_until="commit")
