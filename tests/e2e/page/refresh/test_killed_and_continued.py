"""kill -9 of the one process with the page open, before a provider that goes on from a prefix."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, app_before, said_to
from tests.e2e.page.refresh.answers import CHUNKS, so_far
from tests.e2e.page.refresh.test_killed import begun, dies_and_comes_back
from tests.e2e.page.refresh.test_queue import waits
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider


@pytest.fixture(scope="module")
def continuing_app(provider_port: int) -> Iterator[AppUnderTest]:
    with app_before(provider_port, {"ASSISTANT_MODEL_CONTINUES_PREFIX": "true"}) as app:
        yield app


@pytest.fixture
def app(continuing_app: AppUnderTest) -> AppUnderTest:
    if not continuing_app.running:
        continuing_app.start()
    return continuing_app


def test_an_answer_cut_by_a_kill_goes_on_by_itself_on_a_page_that_stayed_open(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B050, B054."""
    begun(chat, provider)
    before = chat.messages()
    script = provider.say(*CHUNKS[20:30]).hold().say(*CHUNKS[30:])
    dies_and_comes_back(chat, app)

    chat.shows(so_far(30), within=TRUE_WITHIN_SECONDS)
    chat.busy()
    script.release()
    chat.shows("".join(CHUNKS))
    chat.ended("complete")
    chat.idle()
    assert chat.messages() == before
    assert chat.documents() == 1
    seen = chat.offsets_seen()
    assert seen == sorted(seen)
    assert len(provider.calls) == 2


def test_what_waits_is_sent_by_itself_and_once_after_an_answer_that_a_kill_cut_and_that_went_on(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest
) -> None:
    """Case B108: over a reload and a kill; the queue is not paused by what did not fail."""
    begun(chat, provider)
    chat.say("First after")
    waits(chat, "First after")
    chat.reload()
    waits(chat, "First after")
    script = provider.say(*CHUNKS[20:30]).hold().say(*CHUNKS[30:])
    app.kill()
    app.start()
    chat.shows(so_far(30), within=15)
    waits(chat, "First after")

    provider.say("The second answer.")
    script.release()
    chat.shows("The second answer.", number=1)
    chat.shows("".join(CHUNKS), number=0)
    for _ in range(2):
        chat.ended("complete")
        chat.idle()
        expect(chat.outbox).to_have_count(0)
        assert [message.role for message in chat.messages()] == ["user", "assistant"] * 2
        assert [said_to(call)[-1] for call in provider.calls if call.number != 2] == [
            ("user", "Count for me"),
            ("user", "First after"),
        ]
        assert len(provider.calls) == 3
        chat.reload()
