"""The log of a running answer is lost, whole or in part, under a page that is reloaded."""

from collections.abc import Callable, Iterator

import pytest
import redis
from playwright.sync_api import expect

from tests.e2e.http.stage import app_before, locked
from tests.e2e.page.refresh.answers import WHOLE, held_after, so_far
from tests.e2e.page.refresh.pieces import pieces
from tests.e2e.page.refresh.test_stays_put import SEEN
from tests.support.app_under_test import AppUnderTest
from tests.support.chat_page import ChatPage
from tests.support.eventually import eventually_sync
from tests.support.llm_server import ScriptedProvider
from tests.support.valkey import ValkeyServer


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyServer]:
    with ValkeyServer() as server:
        yield server


@pytest.fixture(scope="module")
def app(valkey: ValkeyServer, provider_port: int) -> Iterator[AppUnderTest]:
    environment = {
        "ASSISTANT_REDIS_URL": valkey.url,
        "ASSISTANT_DRAIN_SECONDS": "0",
        "ASSISTANT_LOST_AFTER_BEATS": "60",  # while a test holds the database, nobody can beat
        "ASSISTANT_DEBUG_TOOLS": "true",
    }
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


def test_a_hole_in_the_log_is_told_as_one_and_closes_by_itself(
    chat: ChatPage, provider: ScriptedProvider, valkey: ValkeyServer, app: AppUnderTest
) -> None:
    """Case B033, B154: an entry is gone before the page had it, and the row cannot be written meanwhile.

    A refresh, simulated or real, changes nothing: the question stays above, the text before the hole.
    """
    script = held_after(provider, 20, 21, 22)
    chat.say("Count for me")
    chat.shows(so_far(20))
    before = chat.messages()
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
        chat.shows(so_far(20))
        picture = chat.picture()
        assert chat.simulate_refresh() == "Nothing changed."
        for again in (False, True):
            if again:
                chat.reload()
            expect(chat.element("gap-notice")).to_be_visible()
            chat.shows(so_far(20))
            chat.busy()
            assert chat.messages() == before
            assert chat.failures_seen() == []
            assert chat.difference(picture, chat.picture()) < SEEN

    chat.shows(so_far(22))
    expect(chat.element("gap-notice")).to_have_count(0)
    script.release()
    chat.shows(WHOLE)
    chat.ended("complete")
    assert chat.messages() == before
    assert len(provider.calls) == 1


def test_of_a_log_only_the_last_entries_are_left_and_it_stays_one_run(
    chat: ChatPage,
    provider: ScriptedProvider,
    valkey: ValkeyServer,
    second_device: Callable[[ChatPage], ChatPage],
) -> None:
    """Case B154: the question first, then one card and one answer; on a page that kept half of it, and on one
    that kept nothing."""
    before_it, gates = "I look at the clock. ", range(5, 31, 5)
    provider.script().say(before_it).call("current_time", {"time_zone": "UTC"})
    script = held_after(provider, *gates)
    chat.say("What time is it?")
    for gate in gates:
        chat.shows(before_it + so_far(gate))
        if gate < gates[-1]:
            script.release()
    log = f"s:{chat.answers.last.get_attribute('data-task-id')}"
    live, before = pieces(chat), chat.messages()
    assert [piece[:5] for piece in live] == ["I loo", "call ", "chunk"]

    with redis.Redis.from_url(valkey.url) as client:
        assert client.xlen(log) > 5
        client.xtrim(log, maxlen=5, approximate=False)
    chat.reload()
    other = second_device(chat).open(chat.sid)
    for page in (other, chat):
        page.in_front()
        page.shows(before_it + so_far(30))
        page.no_failure()
        page.busy()
        assert (page.messages(), pieces(page)) == (before, live)
    script.release()
    for page in (other, chat):
        page.in_front()
        page.shows(before_it + WHOLE)
        page.ended("complete")
        whole = pieces(page)
        page.reload()
        page.shows(before_it + WHOLE)
        assert (page.messages(), pieces(page)) == (before, whole)
        assert [message.role for message in page.messages()] == ["user", "assistant"]
        page.no_failure()
    assert len(provider.calls) == 2
