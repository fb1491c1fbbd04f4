"""Everything in the stream server is lost around a decision: the call runs once all the same."""

import asyncio

import pytest
import redis

from tests.e2e.http.workers.conftest import Workers
from tests.support.app_under_test import AppUnderTest
from tests.support.http_client import Answer, ApiClient
from tests.support.llm_server import ScriptedProvider

MAIL = {"to": "ada@example.org", "subject": "Lunch", "text": "At noon?"}


def mails(app: AppUnderTest) -> int:
    """How many mails lie in the local outbox."""
    return len(list((app.data_dir / "outbox").glob("*.eml")))


async def a_parked_mail(ada: ApiClient, provider: ScriptedProvider) -> Answer:
    provider.script().say("I will. ").call("send_mail", MAIL)
    provider.say("Done.")
    return await ada.parked((await ada.send("Write to Ada"))["task_id"])


async def test_a_task_that_waits_over_a_flush_goes_on_when_it_is_decided(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, workers: Workers, client: redis.Redis
) -> None:
    await asyncio.to_thread(workers, 1)
    before = mails(app)
    task = await a_parked_mail(ada, provider)
    client.flushall()
    await ada.decide(task["tool_calls"][0])
    ended = await ada.ended(task["id"])
    assert (ended["reason"], ended["tool_calls"][0]["state"]) == ("complete", "completed")
    assert mails(app) == before + 1
    assert (await ada.read(task["id"]))["text"] == "I will. Done."


@pytest.mark.parametrize("kill", [False, True], ids=["flushed", "flushed and no worker alive"])
async def test_a_decision_whose_delivery_is_flushed_is_carried_out(
    app: AppUnderTest,
    ada: ApiClient,
    provider: ScriptedProvider,
    workers: Workers,
    client: redis.Redis,
    kill: bool,
) -> None:
    await asyncio.to_thread(workers, 1)
    before = mails(app)
    task = await a_parked_mail(ada, provider)
    if kill:
        await asyncio.to_thread(workers, 0)
    await ada.decide(task["tool_calls"][0])
    client.flushall()
    await asyncio.to_thread(workers, 1)
    ended = await ada.ended(task["id"])
    assert (ended["reason"], ended["tool_calls"][0]["state"]) == ("complete", "completed")
    assert mails(app) == before + 1
