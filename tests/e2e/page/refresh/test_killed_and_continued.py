"""kill -9 of the one process with the page open, before a provider that goes on from a prefix."""

from collections.abc import Iterator

import pytest

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, app_before
from tests.e2e.page.refresh.answers import CHUNKS, so_far
from tests.e2e.page.refresh.test_killed import begun, dies_and_comes_back
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
