"""The log of a running answer is deleted under a page that is reloaded; a worker beside the server."""

from collections.abc import Iterator

import pytest
import redis

from tests.e2e.http.stage import app_before
from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.llm_server import ScriptedProvider
from tests.support.valkey import ValkeyServer


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyServer]:
    with ValkeyServer() as server:
        yield server


@pytest.fixture(scope="module")
def app(valkey: ValkeyServer, provider_port: int) -> Iterator[AppUnderTest]:
    environment = {"ASSISTANT_REDIS_URL": valkey.url, "ASSISTANT_DRAIN_SECONDS": "0"}
    with app_before(provider_port, environment) as app:
        app.start()
        app.worker()
        yield app


@pytest.mark.parametrize("reloads_first", [True, False], ids=["reload first", "text first"])
def test_a_log_deleted_in_mid_answer_costs_no_character(
    chat: ChatPage, provider: ScriptedProvider, valkey: ValkeyServer, reloads_first: bool
) -> None:
    script = held_after(provider, 20, 30)
    chat.say("Count for me")
    chat.shows(so_far(20))
    before = chat.messages()
    task = chat.answers.last.get_attribute("data-task-id")

    with redis.Redis.from_url(valkey.url) as client:
        assert client.delete(f"s:{task}") == 1
    if reloads_first:
        chat.reload()
        chat.shows(so_far(20))
        script.release()
    else:
        script.release()
        chat.shows(so_far(30))
        chat.reload()
    chat.shows(so_far(30))
    chat.no_failure()
    script.release()
    chat.shows(WHOLE)
    chat.ended("complete")
    assert chat.messages() == before
    assert len(provider.calls) == 1
