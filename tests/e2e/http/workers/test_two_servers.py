"""Two `serve` processes behind a router: whatever one accepted, the other one resumes and stops."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.e2e.http.workers.conftest import Workers
from tests.support.app_under_test import AppUnderTest
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider


@pytest.fixture(scope="module")
def other_serving(serving: AppUnderTest) -> Iterator[AppUnderTest]:
    """The second one, on the same database, valkey and key."""
    app = AppUnderTest(serving.environment, data_dir=serving.data_dir)
    try:
        app.start()
        yield app
    finally:
        app.close()


@pytest.fixture
async def pair(ada: ApiClient, other_serving: AppUnderTest) -> AsyncIterator[list[ApiClient]]:
    """The same owner at both."""
    elsewhere = ada.elsewhere(other_serving.url)
    yield [ada, elsewhere]
    await elsewhere.http.aclose()


async def test_resume_and_stop_work_on_the_server_that_did_not_accept_the_message(
    pair: list[ApiClient], provider: ScriptedProvider, workers: Workers
) -> None:
    """Case B097: 20 rounds, every second one stopped, every fourth before the first token."""
    await asyncio.to_thread(workers, 1)
    for number in range(20):
        accepted, other = pair[:: 1 if number % 2 else -1]
        script = provider.script()
        if number % 4:
            script.say(f"Round {number}, ")
        script.hold().say("the end.")
        sent = await accepted.send("Hello?")
        reader = accepted.reader(sent["task_id"])
        await script.held()
        await reader.to(script.text.removesuffix("the end."))

        reader.client = other.http
        if number % 2 == 0:
            task = await other.ask(sent["task_id"], "stop")
            assert task["reason"] == "stopped"
            await provider.disconnected(number + 1)
        else:
            script.release()
        end = await reader.to_the_end()

        assert end["reason"] == ("complete" if number % 2 else "stopped")
        assert reader.taken_back is False
        assert reader.text == (await accepted.messages(sent["session_id"]))[-1]["text"]
        assert reader.text == provider.calls[number].sent
    assert len(provider.calls) == 20
