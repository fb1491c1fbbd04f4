"""SIGTERM of the one embedded process: sends are refused, answers handed over, streams ended properly."""

import asyncio
import signal
import time

import httpx
import psutil

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, locked, said_to
from tests.support.app_under_test import AppUnderTest
from tests.support.eventually import eventually
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider

GONE_WITHIN_SECONDS = 4.0


async def test_an_answer_is_handed_over_whole_and_the_next_start_goes_on(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """The last words are younger than the last snapshot of the row."""
    first = provider.say("Handed ").hold().say("over ").hold()
    provider.say("and on.")
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    await reader.to("Handed ")
    first.release()
    await reader.to(first.text)

    began = time.monotonic()
    assert await asyncio.to_thread(app.terminate) == 0
    took = time.monotonic() - began
    await asyncio.to_thread(app.start)

    assert took < GONE_WITHIN_SECONDS
    assert (await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS))["reason"] == "complete"
    assert said_to(provider.calls[1]) == [("user", "Hello?"), ("assistant", first.text)]
    await reader.to_the_end()
    assert (reader.text, reader.taken_back) == ("Handed over and on.", False)


async def test_open_streams_get_a_proper_end_without_closed(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """A reader that is not told `closed` knows that it has to come back."""
    first = provider.say("Some text").hold()
    sent = await ada.send("Hello?")
    readers = [ada.reader(sent["task_id"]) for _ in range(10)]
    following = [asyncio.create_task(reader.follow()) for reader in readers]
    await eventually(lambda: all(reader.text == first.text for reader in readers))

    assert await asyncio.to_thread(app.terminate) == 0

    assert await asyncio.gather(*following) == [None] * 10
    assert [reader.closed for reader in readers] == [None] * 10

    await asyncio.to_thread(app.start)
    await ada.ended(sent["task_id"])


async def test_a_send_while_it_goes_down_is_refused_and_works_under_the_same_key_afterwards(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """The handover is held up by a lock on the database, so that the process goes down slowly."""
    first = provider.say("Some text").hold()
    running = await ada.send("Hello?")
    await ada.stored(running["task_id"], len(first.text))

    with locked(app):
        psutil.Process(app.pid).send_signal(signal.SIGTERM)
        refused = await eventually(lambda: refused_send(ada))
        reading = await ada.http.get("/api/owner")
    await asyncio.to_thread(app.wait, GONE_WITHIN_SECONDS)
    await asyncio.to_thread(app.start)

    assert refused is not None
    assert refused.json()["code"] == "not_ready"
    assert reading.status_code == 200
    sent = await ada.send("Are you there?", key="k")
    assert (await ada.ended(sent["task_id"]))["reason"] == "complete"
    assert (await ada.ended(running["task_id"]))["reason"] == "complete"


async def refused_send(ada: ApiClient) -> httpx.Response | None:
    """The refusal of a send, once it is refused at once; before that it waits for the lock."""
    try:
        response = await ada.http.post(
            "/api/messages",
            json={"text": "Are you there?"},
            headers={"Idempotency-Key": "k"},
            timeout=0.3,
        )
    except httpx.ReadTimeout:
        return None
    assert response.status_code == 503, response.text
    return response
