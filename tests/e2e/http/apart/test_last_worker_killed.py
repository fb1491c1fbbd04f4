"""kill -9 of the only worker, before a provider that cannot go on: `serve` alone tells the truth."""

import asyncio
import time
from collections.abc import Iterator

import pytest

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, app_before
from tests.support.app_under_test import AppUnderTest, WorkerUnderTest
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider
from tests.support.valkey import ValkeyServer

AT_ONCE_SECONDS = 1.5


@pytest.fixture(scope="module")
def serving(provider_port: int) -> Iterator[AppUnderTest]:
    with (
        ValkeyServer() as valkey,
        app_before(provider_port, {"ASSISTANT_REDIS_URL": valkey.url}) as app,
    ):
        yield app


@pytest.fixture(scope="module")
def only_worker(serving: AppUnderTest) -> WorkerUnderTest:
    """The one worker; the app ends it with itself."""
    if not serving.running:
        serving.start()
    return serving.worker()


@pytest.fixture
def worker(only_worker: WorkerUnderTest) -> WorkerUnderTest:
    """The same, up."""
    if not only_worker.running:
        only_worker.restart()
    return only_worker


async def test_a_dead_workers_answer_is_interrupted_with_its_text_though_no_worker_lives(
    ada: ApiClient, provider: ScriptedProvider, worker: WorkerUnderTest
) -> None:
    """Case B051, B052; and a worker that is started later doubles nothing."""
    first = provider.say("Half ", "an answer").hold()
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end())
    await reader.shows(first.text)

    worker.kill()
    killed_at = time.monotonic()
    end = await following

    assert time.monotonic() - killed_at <= TRUE_WITHIN_SECONDS
    assert (end["state"], end["reason"]) == ("failed", "interrupted")
    assert (reader.text, reader.taken_back) == (first.text, False)

    await asyncio.to_thread(worker.restart)
    again = provider.say("A whole answer.")
    next_one = await ada.send("And now?", session_id=sent["session_id"])
    await ada.ended(next_one["task_id"])
    texts = [message["text"] for message in await ada.messages(sent["session_id"])]
    assert texts == ["Hello?", first.text, "And now?", again.text]
    assert len(provider.calls) == 2


async def test_stop_on_a_dead_workers_task_answers_at_once(
    ada: ApiClient, provider: ScriptedProvider, worker: WorkerUnderTest
) -> None:
    """Case B052: nobody waits until the worker is known to be lost."""
    first = provider.say("Half ", "an answer").hold()
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    await reader.to(first.text)

    worker.kill()
    asked_at = time.monotonic()
    task = await ada.ask(sent["task_id"], "stop")

    assert time.monotonic() - asked_at <= AT_ONCE_SECONDS
    assert (task["state"], task["reason"]) == ("done", "stopped")
    await reader.to_the_end()
    assert reader.text == first.text == (await ada.messages(sent["session_id"]))[-1]["text"]
