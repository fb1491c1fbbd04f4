"""SIGSTOP past the loss, takeover, SIGCONT: the worker that comes back from the dead changes nothing."""

import asyncio

from tests.e2e.http.stage import locked, said_to
from tests.e2e.http.workers.conftest import Workers, holder
from tests.support.app_under_test import AppUnderTest
from tests.support.eventually import eventually
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider


async def test_a_frozen_worker_that_goes_on_after_the_takeover_adds_not_one_character(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, workers: Workers
) -> None:
    """It wakes with text in hand and more to come, while the new attempt has not said a word.

    The database is locked when it wakes, so that only the fence in the log can tell it.
    """
    alive = await asyncio.to_thread(workers, 2)
    first = provider.say("Half, ").hold()
    for _ in range(500):
        first.say("a zombie speaks ").pause(0.01)
    second = provider.script().hold().say("taken over.")
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end(within=30))
    await reader.shows("Half, ")

    frozen = await asyncio.to_thread(holder, alive, provider)
    frozen.stop_signal()
    try:
        await provider.called(2, within=10)
        await second.held()
        first.release()
        await eventually(lambda: "zombie" in provider.calls[0].sent)
        with locked(app):
            frozen.continue_signal()
            await provider.disconnected(1)
    finally:
        frozen.continue_signal()
    second.release()

    assert (await following)["reason"] == "complete"
    assert said_to(provider.calls[1]) == [("user", "Hello?"), ("assistant", "Half, ")]
    assert (reader.text, reader.taken_back) == ("Half, taken over.", False)
    assert [message["text"] for message in await ada.messages(sent["session_id"])] == ["Hello?", reader.text]
    assert (await ada.task(sent["task_id"]))["attempt"] == 2
    assert len(provider.calls) == 2
