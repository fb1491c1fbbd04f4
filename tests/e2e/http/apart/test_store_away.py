"""PostgreSQL goes away, before the server starts and in the middle of an answer, and comes back."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.e2e.http.stage import app_before
from tests.support.app_under_test import AppUnderTest, ProcessUnderTest
from tests.support.databases import PostgresAbsent, PostgresServer, postgres_server
from tests.support.eventually import eventually
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    try:
        with postgres_server() as server:
            yield server
    except PostgresAbsent as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def serving(postgres: PostgresServer, provider_port: int) -> Iterator[AppUnderTest]:
    """An embedded app on PostgreSQL."""
    database = postgres.url(postgres.create())
    with app_before(provider_port, {"ASSISTANT_DATABASE_URL": database}) as app:
        yield app


async def test_a_store_that_comes_after_the_server_is_found_without_a_restart(
    serving: AppUnderTest, postgres: PostgresServer, provider: ScriptedProvider
) -> None:
    """Case B147."""
    await asyncio.to_thread(postgres.stop)
    ProcessUnderTest.start(serving)
    await eventually(lambda: "waiting for the database" in serving.log, within=30)
    assert "Traceback" not in serving.log

    await asyncio.to_thread(postgres.start)
    await eventually(lambda: "serving" in serving.log, within=30)

    async with ApiClient(serving.url) as ada:
        sent = await ada.send("Hello?")
        assert (await ada.ended(sent["task_id"]))["reason"] == "complete"


async def test_a_store_that_is_away_in_mid_answer_costs_no_character(
    postgres: PostgresServer, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B147: the provider has its last word while nobody can store it."""
    script = provider.say("Before, ").hold().say("and after.")
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end(within=30))
    await reader.shows("Before, ")

    await asyncio.to_thread(postgres.stop)
    refused = await ada.post("While you are away", key="k")
    script.release()
    await eventually(lambda: provider.calls[0].ended)
    await asyncio.to_thread(postgres.start)

    assert (refused.status_code, refused.json()["code"]) == (503, "store_unavailable")
    assert (await following)["reason"] == "complete"
    assert (reader.text, reader.taken_back) == (script.text, False)
    assert (await ada.messages(sent["session_id"]))[-1]["text"] == script.text
    later = await ada.send("While you are away", key="k")
    assert (await ada.ended(later["task_id"]))["reason"] == "complete"
    assert len(provider.calls) == 2
