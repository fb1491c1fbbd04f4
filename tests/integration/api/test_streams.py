"""Streams of the real server: live, cut, resumed, repaired, closed; every character once."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing

import httpx
import pytest

from tests.integration.api.reading_events import Reader
from tests.support.app_under_test import AppUnderTest
from tests.support.eventually import eventually
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider

PIECES = ["A你", "好\n", "\n\n", "\r\n", " \n```py\n", "  👩‍👩‍👧🏽", "é", "\u2028data: x\n\nid: 9.9\n", "🌍Z"]
TEXT = "".join(PIECES)


@pytest.fixture(scope="module")
def provider() -> Generator[ScriptedProvider]:
    with ScriptedProvider() as provider:
        yield provider


@pytest.fixture(scope="module")
def app(provider: ScriptedProvider) -> Generator[AppUnderTest]:
    environment = {"ASSISTANT_MODEL_BASE_URL": provider.url, "ASSISTANT_MODEL_NAME": "scripted"}
    with AppUnderTest(environment) as app:
        yield app


@pytest.fixture
async def mine(app: AppUnderTest) -> AsyncGenerator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=app.url, timeout=10) as client:
        (await client.get("/api/owner")).raise_for_status()
        yield client


async def asked(client: httpx.AsyncClient, key: str = "k") -> Reader:
    """A reader of the answer to a new message, which shows nothing yet."""
    answer = await client.post("/api/messages", json={"text": "Why?"}, headers={"idempotency-key": key})
    assert answer.status_code == 202, answer.text
    return Reader(client, answer.json()["task_id"])


def gated(provider: ScriptedProvider) -> Script:
    """A script that says the pieces, each behind a gate."""
    script = provider.script()
    for piece in PIECES:
        script.say(piece).hold()
    return script


async def test_a_live_reader_gets_every_character_once_and_the_end(
    mine: httpx.AsyncClient, provider: ScriptedProvider
) -> None:
    """Case B036."""
    script = gated(provider)
    reader = await asked(mine)

    async for name in reader.events():
        if name == "text":
            script.release()

    assert reader.text == TEXT
    assert reader.names()[0] == "state"
    assert reader.names()[-2:] == ["state", "closed"]
    assert reader.end == {"state": "done", "reason": "complete", "offset": len(TEXT), "attempt": 1}


@pytest.mark.parametrize("how", ["query", "last id"])
async def test_a_reader_that_is_cut_after_every_piece_misses_and_repeats_nothing(
    mine: httpx.AsyncClient, provider: ScriptedProvider, how: str
) -> None:
    """Cases B021, B031, B036."""
    script = gated(provider)
    reader = await asked(mine)

    while reader.end is None:
        before = reader.text
        query = reader.place if how == "query" and before else None
        last_id = reader.last_id if how == "last id" and before else None
        async with aclosing(reader.events(query, last_id)) as events:
            async for _ in events:
                if reader.text != before:
                    script.release()
                    break

    assert reader.text == TEXT
    assert "replace" not in reader.names()
    assert "".join(data["text"] for name, data in reader.told if name == "text") == TEXT


async def test_a_reconnect_with_nothing_new_gets_no_text_and_keeps_its_place(
    mine: httpx.AsyncClient, provider: ScriptedProvider
) -> None:
    """Case B022."""
    provider.say(*PIECES)
    reader = await (await asked(mine)).to_the_end()
    place = reader.last_id

    for _ in range(2):
        idle = await Reader(mine, reader.task_id).to_the_end(last_id=place)
        assert idle.names() == ["state", "closed"]
        assert idle.last_id == place


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("wrong", ["crc", "beyond", "attempt"])
async def test_a_reader_that_shows_something_else_is_given_the_whole(
    mine: httpx.AsyncClient, provider: ScriptedProvider, wrong: str, closed: bool
) -> None:
    script = provider.script().say(TEXT)
    script = script if closed else script.hold()
    reader = await asked(mine)
    async with aclosing(reader.events()) as events:
        async for name in events:
            if name == ("closed" if closed else "text"):
                break
    reader.told.clear()
    query = {
        "crc": {**reader.place, "crc": 1},
        "beyond": {"offset": len(TEXT) + 1, "attempt": 1},
        "attempt": {"offset": 3, "attempt": 7},
    }[wrong]
    script.release()

    await reader.to_the_end(query)

    assert reader.names()[:2] == ["state", "replace"]
    assert reader.told[1][1]["offset"] == 0
    assert reader.text == TEXT


async def test_a_stop_ends_the_stream_with_the_text_that_was_shown(
    mine: httpx.AsyncClient, provider: ScriptedProvider
) -> None:
    provider.script().say("kept").hold().say("lost")
    reader = await asked(mine)

    async for name in reader.events():
        if name == "text":
            stopped = await mine.post(f"/api/tasks/{reader.task_id}/stop")
            assert stopped.status_code == 200

    assert reader.end is not None
    assert (reader.end["state"], reader.end["reason"], reader.end["offset"]) == ("done", "stopped", 4)
    assert reader.text == "kept"
    again = await Reader(mine, reader.task_id).to_the_end(last_id=reader.last_id)
    assert again.names() == ["state", "closed"]


async def test_a_refusal_comes_before_the_stream(mine: httpx.AsyncClient) -> None:
    for headers in ({}, {"accept": "text/event-stream"}):
        answer = await mine.get("/api/tasks/unknown/stream", headers=headers)

        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"


async def test_a_stream_is_not_buffered_and_not_kept(
    mine: httpx.AsyncClient, provider: ScriptedProvider
) -> None:
    provider.say("a")
    reader = await asked(mine)

    answer = await mine.get(f"/api/tasks/{reader.task_id}/stream")

    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in answer.headers


async def test_what_a_resuming_reader_lacks_comes_in_one_write_with_the_state(
    mine: httpx.AsyncClient, provider: ScriptedProvider
) -> None:
    script = provider.script().say(TEXT).hold()
    reader = await asked(mine)
    async with aclosing(reader.events()) as events:
        async for name in events:
            if name == "text":
                break

    async with mine.stream("GET", f"/api/tasks/{reader.task_id}/stream") as answer:
        first = await anext(answer.aiter_raw())

    assert first.startswith(b"event: state\n")
    assert b"event: text\n" in first
    script.release()


async def test_a_reader_that_leaves_is_let_go(mine: httpx.AsyncClient, provider: ScriptedProvider) -> None:
    script = provider.script().say("a").hold()
    reader = await asked(mine)
    async with aclosing(reader.events()) as events:
        async for name in events:
            if name == "text":
                assert await open_streams(mine) == 1
                break

    await eventually(lambda: nobody_reads(mine))
    script.release()


async def test_a_server_that_goes_down_ends_the_stream_and_the_reader_resumes_at_the_next(
    provider: ScriptedProvider,
) -> None:
    """An end without `closed` means: come back with your place."""
    environment = {
        "ASSISTANT_MODEL_BASE_URL": provider.url,
        "ASSISTANT_MODEL_NAME": "scripted",
        "ASSISTANT_MODEL_CONTINUES_PREFIX": "true",
    }
    provider.script().say("before ").hold()
    provider.say("after")
    with AppUnderTest(environment) as app:
        async with httpx.AsyncClient(base_url=app.url, timeout=10) as mine:
            await mine.get("/api/owner")
            reader = await asked(mine)
            async for name in reader.events():
                if name == "text":
                    os.kill(app.pid, signal.SIGTERM)
            assert reader.end is None

            app.wait()
            await asyncio.to_thread(app.restart)
            await reader.to_the_end(reader.place)

    assert reader.text == "before after"
    assert reader.end is not None


async def open_streams(client: httpx.AsyncClient) -> float:
    figures = (await client.get("/metrics")).text
    line = next(line for line in figures.splitlines() if line.startswith("assistant_open_streams "))
    return float(line.split()[1])


async def nobody_reads(client: httpx.AsyncClient) -> bool:
    return await open_streams(client) == 0
