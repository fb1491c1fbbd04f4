"""Screens that few ever see have no violation either: a summary, a hole in the text, a model that is gone."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
import redis
from playwright.sync_api import expect

from tests.e2e.http.stage import app_before, locked
from tests.e2e.page.access.actions import ALL
from tests.e2e.page.access.looking import Looker
from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.valkey import ValkeyServer

OLD, NEW = "old " * 700, "new " * 475
"""Two answers which fit the window one by one, and not both."""


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyServer]:
    with ValkeyServer() as server:
        yield server


@pytest.fixture(scope="module")
def app(valkey: ValkeyServer, provider_port: int) -> Iterator[AppUnderTest]:
    """Before a model that reads little at once, with a log of which an entry can be lost."""
    environment = {
        "ASSISTANT_REDIS_URL": valkey.url,
        "ASSISTANT_DRAIN_SECONDS": "0",
        "ASSISTANT_MODEL_CONTEXT_TOKENS": "2048",
        "ASSISTANT_MODEL_TOOLS": "false",
    }
    with app_before(provider_port, environment) as app:
        app.start()
        app.worker()
        yield app


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_no_screen_that_is_seldom_seen_has_a_violation(
    chat: ChatPage, provider: ScriptedProvider, app: AppUnderTest, valkey: ValkeyServer
) -> None:
    look = Looker()
    page = chat.page
    for number, answer in enumerate((OLD, NEW), start=1):
        provider.say(answer)
        chat.say(f"Question {number}")
        chat.shows(answer)
        chat.idle()
    provider.say("They said old and so on.")
    provider.say("And so on.")
    chat.say("Question 3")
    chat.shows("And so on.")
    look.at(page, "a summary", ".thread")
    chat.element("summary").locator("summary").click()
    expect(chat.element("summary-text")).to_have_text("They said old and so on.")
    look.at(page, "a summary, unfolded", ".summary")

    chat.element("new-session").click()
    chat.ready("new")
    script = held_after(provider, 20, 21, 22)
    chat.say("Count for me")
    chat.shows(so_far(20))
    log = f"s:{chat.answers.last.get_attribute('data-task-id')}"
    with redis.Redis.from_url(valkey.url) as client, locked(app):
        app.stop_signal()
        [(last, _)] = client.xrevrange(log, count=1)
        for count in (1, 2):
            script.release()
            eventually_sync(lambda count=count: len(client.xrange(log, min=b"(" + last)) == count)
        [(missing, _), _] = client.xrange(log, min=b"(" + last)
        client.xdel(log, missing)
        app.continue_signal()
        expect(chat.element("gap-notice")).to_be_visible()
        look.at(page, "a hole in the text", ".thread")
    script.release()
    chat.shows(WHOLE)
    chat.idle()

    with closing(sqlite3.connect(app.data_dir / "assistant.db")) as database, database:
        database.execute("UPDATE session SET model = 'taken-away' WHERE id = ?", (chat.sid,))
    chat.reload()
    expect(chat.element("model-gone")).to_be_visible()
    look.at(page, "a model that is gone", ".foot")
    assert look.found == []
    assert {name: screen for name, screen in look.controls.items() if name not in ALL} == {}
