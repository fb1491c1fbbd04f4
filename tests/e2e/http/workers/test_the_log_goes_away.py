"""The stream server is killed, flushed and robbed of logs under running and waiting tasks."""

import asyncio

import redis

from tests.e2e.http.workers.conftest import Workers
from tests.support.eventually import eventually
from tests.support.http_client import ApiClient
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider
from tests.support.valkey import ValkeyServer

BEFORE = "Before 👩‍👩‍👧, "
DURING = ("during, ", "e\u0301, ")
AFTER = "after."
WHOLE = "".join((BEFORE, *DURING, AFTER))


def in_three(provider: ScriptedProvider) -> Script:
    """An answer with a gate before and after its middle."""
    return provider.say(BEFORE).hold().say(*DURING).hold().say(AFTER)


async def test_a_flushed_server_in_mid_answer_costs_no_character(
    ada: ApiClient, provider: ScriptedProvider, workers: Workers, client: redis.Redis
) -> None:
    await asyncio.to_thread(workers, 1)
    script = in_three(provider)
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end())
    await reader.shows(BEFORE)

    client.flushall()
    script.release()
    await reader.shows(BEFORE + "".join(DURING))
    script.release()

    assert (await following)["reason"] == "complete"
    assert (reader.text, reader.taken_back) == (WHOLE, False)
    assert (await ada.messages(sent["session_id"]))[-1]["text"] == WHOLE
    assert (await ada.task(sent["task_id"]))["attempt"] == len(provider.calls) == 1


async def test_a_log_deleted_in_mid_answer_costs_no_character(
    ada: ApiClient, provider: ScriptedProvider, workers: Workers, client: redis.Redis
) -> None:
    """Whoever comes before the next snapshot of the row has the whole text, too."""
    await asyncio.to_thread(workers, 1)
    script = in_three(provider)
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end())
    await reader.shows(BEFORE)

    assert client.delete(f"s:{sent['task_id']}") == 1
    script.release()
    await reader.shows(BEFORE + "".join(DURING))
    await eventually(lambda: reads(ada, sent["task_id"], reader.text), within=0.5)
    script.release()

    await following
    assert (reader.text, reader.taken_back) == (WHOLE, False)
    assert reader.named("gap") == []
    assert len(provider.calls) == 1


async def reads(ada: ApiClient, task_id: str, text: str) -> bool:
    """A newcomer's one read has exactly this text."""
    return (await ada.read(task_id))["text"] == text


async def test_a_killed_and_restarted_server_in_mid_answer_costs_no_character(
    ada: ApiClient, provider: ScriptedProvider, workers: Workers, valkey: ValkeyServer
) -> None:
    await asyncio.to_thread(workers, 1)
    script = in_three(provider)
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end(within=30))
    await reader.shows(BEFORE)

    valkey.kill()
    script.release()
    await script.held(2)
    await reader.shows(BEFORE + "".join(DURING))
    valkey.start()  # not in another thread: it dies with the thread that started it
    script.release()

    assert (await following)["reason"] == "complete"
    assert (reader.text, reader.taken_back) == (WHOLE, False)
    assert (await ada.messages(sent["session_id"]))[-1]["text"] == WHOLE
    assert (await ada.task(sent["task_id"]))["attempt"] == len(provider.calls) == 1

    again = await ada.send("And again?", session_id=sent["session_id"])
    assert (await ada.ended(again["task_id"]))["reason"] == "complete"


async def test_a_flushed_server_forgets_no_task_that_waits(
    ada: ApiClient, provider: ScriptedProvider, workers: Workers, client: redis.Redis
) -> None:
    """The queue is lost with all its waiting deliveries, and what the workers know of it."""
    await asyncio.to_thread(workers, 0)
    waiting = await ada.send("Hello?")
    client.flushall()
    await asyncio.to_thread(workers, 2)
    assert (await ada.ended(waiting["task_id"]))["reason"] == "complete"

    client.flushall()
    for number in range(3):
        sent = await ada.send(f"Number {number}")
        assert (await ada.ended(sent["task_id"]))["reason"] == "complete"
    assert len(provider.calls) == 4
