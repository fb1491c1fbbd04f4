"""kill -9 of workers, before a provider that goes on from a prefix: another worker goes on."""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, said_to
from tests.e2e.http.workers.conftest import Workers, holder
from tests.support.app_under_test import AppUnderTest
from tests.support.eventually import eventually
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider


async def test_serve_alone_runs_nothing_and_a_worker_that_comes_later_answers(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, workers: Workers
) -> None:
    await asyncio.to_thread(workers, 0)
    script = provider.say("Here I am.")
    sent = await ada.send("Hello?")
    before = beats(app.data_dir)
    await eventually(lambda: beats(app.data_dir) >= before + 2)
    waiting = await ada.task(sent["task_id"])

    assert (waiting["state"], waiting["attempt"], len(provider.calls)) == ("pending", 0, 0)
    await asyncio.to_thread(workers, 1)

    assert (await ada.ended(sent["task_id"]))["reason"] == "complete"
    assert (await ada.read(sent["task_id"]))["text"] == script.text


async def test_when_a_worker_is_killed_another_goes_on_within_seconds(
    ada: ApiClient, provider: ScriptedProvider, workers: Workers
) -> None:
    """Nothing of what stood in the log is lost, although the row may not have had it yet."""
    alive = await asyncio.to_thread(workers, 2)
    first = provider.say("Half, e", "\u0301 ").hold()
    provider.say("whole.")
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end())
    await reader.shows(first.text)

    killed_at = time.monotonic()
    (await asyncio.to_thread(holder, alive, provider)).kill()
    second = await provider.called(2, within=2 * TRUE_WITHIN_SECONDS)

    assert second.at - killed_at <= TRUE_WITHIN_SECONDS
    assert said_to(second) == [("user", "Hello?"), ("assistant", first.text)]
    assert (await following)["reason"] == "complete"
    assert (reader.text, reader.taken_back) == (f"{first.text}whole.", False)
    assert (await ada.messages(sent["session_id"]))[-1]["text"] == reader.text
    assert len(provider.calls) == 2


async def test_a_worker_that_is_asked_to_leave_hands_over_at_the_character(
    ada: ApiClient, provider: ScriptedProvider, workers: Workers
) -> None:
    alive = await asyncio.to_thread(workers, 2)
    first = provider.say("Half, ").hold()
    provider.say("whole.")
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    await reader.to(first.text)

    leaving = await asyncio.to_thread(holder, alive, provider)
    assert await asyncio.to_thread(leaving.terminate) == 0

    await reader.to_the_end()
    assert (reader.text, reader.taken_back) == ("Half, whole.", False)
    assert said_to(provider.calls[1]) == [("user", "Hello?"), ("assistant", first.text)]


def beats(data_dir: Path) -> int:
    """The beats of all processes so far."""
    with closing(sqlite3.connect(data_dir / "assistant.db")) as connection:
        return int(connection.execute("SELECT sum(beat) FROM worker").fetchone()[0])
