"""kill -9 of the one process with the page open, which is never reloaded; no provider that goes on."""

from playwright.sync_api import expect

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS
from tests.e2e.page.refresh.answers import CHUNKS, held_after, so_far
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider


def begun(chat: ChatPage, provider: ScriptedProvider) -> None:
    """The answer stands after twenty chunks, on the page and in the database."""
    held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    task = chat.answers.last.get_attribute("data-task-id")
    asking = chat.page.context.request
    eventually_sync(lambda: asking.get(f"{chat.url}/api/tasks/{task}").json()["offset"] == len(so_far(20)))


def dies_and_comes_back(chat: ChatPage, app: AppUnderTest) -> None:
    """Meanwhile the page keeps its text, and says so in one quiet line."""
    app.kill()
    expect(chat.element("connection")).to_contain_text("econnect")
    chat.shows(so_far(20))
    chat.no_failure()
    app.start()


def test_an_answer_cut_by_a_kill_is_told_as_interrupted_with_its_text_and_continues(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B050, B051, B054."""
    begun(chat, provider)
    before = chat.messages()
    dies_and_comes_back(chat, app)

    chat.ended("interrupted", within=TRUE_WITHIN_SECONDS)
    chat.shows(so_far(20))
    chat.idle()
    assert chat.messages() == before
    expect(chat.element("connection")).not_to_contain_text("econnect")

    provider.say(*CHUNKS[20:])
    chat.element("continue").click()
    chat.shows("".join(CHUNKS))
    chat.ended("complete")
    assert len(provider.calls) == 2
    assert chat.documents() == 1
    chat.reload()
    chat.shows("".join(CHUNKS))
    assert len(chat.messages()) == 2


def test_a_kill_while_nothing_runs_changes_nothing(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B050: and the next message goes out as ever."""
    provider.say("First.")
    chat.say("One")
    chat.ended("complete")
    app.restart()
    chat.idle()
    provider.say("Second.")
    chat.ready()
    expect(chat.element("connection")).not_to_contain_text("econnect", timeout=10_000)
    chat.say("Two")
    chat.shows("Second.", within=15)
    chat.shows("First.", number=0)
    assert chat.documents() == 1
    assert len(chat.messages()) == 4


def test_a_frozen_server_is_waited_for(chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest) -> None:
    """Case B027: what was said meanwhile comes when it thaws."""
    script = held_after(provider, 20)
    chat.say("Count for me")
    chat.shows(so_far(20))
    app.stop_signal()
    try:
        script.release()
        chat.shows(so_far(20))
    finally:
        app.continue_signal()
    chat.shows("".join(CHUNKS))
    chat.ended("complete")
    assert len(provider.calls) == 1
