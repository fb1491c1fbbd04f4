"""Tasks over HTTP: read, stop, retry, continue, and the one catch-up read."""

import zlib

import httpx
import pytest

from tests.integration.api.in_process import ApiInProcess, catch_up
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider


async def test_a_stop_keeps_the_text_and_ends_the_task_once(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    provider.script().say("kept").hold().say(" lost")
    mine = await api.owner()
    task_id = (await api.send(mine))["task_id"]
    await eventually(lambda: _has(mine, task_id, "kept"))

    stopped = (await mine.post(f"/api/tasks/{task_id}/stop", headers={"idempotency-key": "s"})).json()
    again = (await mine.post(f"/api/tasks/{task_id}/stop")).json()

    assert (stopped["state"], stopped["reason"]) == ("done", "stopped")
    assert again == stopped
    assert (await catch_up(mine, task_id))["text"] == "kept"


async def test_continue_goes_on_from_the_kept_text_and_retry_starts_afresh(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    provider.script().say("one ").finish("length")
    mine = await api.owner()
    first = (await api.send(mine))["task_id"]
    await api.closed(mine, first)

    provider.say("two")
    answer = await mine.post(f"/api/tasks/{first}/continue")
    assert answer.status_code == 202
    assert (await api.closed(mine, answer.json()["task_id"]))["text"] == "one two"

    provider.say("other")
    answer = await mine.post(f"/api/tasks/{first}/retry")
    assert answer.status_code == 202
    assert (await api.closed(mine, answer.json()["task_id"]))["text"] == "other"


async def test_a_retry_under_one_key_makes_one_task(api: ApiInProcess) -> None:
    mine = await api.owner()
    first, second = (await api.send(mine))["task_id"], (await api.send(mine))["task_id"]
    await api.closed(mine, first)
    headers = {"idempotency-key": "again"}

    retried = [await mine.post(f"/api/tasks/{first}/retry", headers=headers) for _ in range(2)]
    other = await mine.post(f"/api/tasks/{second}/retry", headers=headers)

    assert retried[0].json() == retried[1].json()
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


async def test_a_complete_answer_is_not_continued(api: ApiInProcess) -> None:
    mine = await api.owner()
    task_id = (await api.send(mine))["task_id"]
    await api.closed(mine, task_id)

    refused = await mine.post(f"/api/tasks/{task_id}/continue")

    assert (refused.status_code, refused.json()["code"]) == (409, "not_retryable")


async def test_a_failed_task_says_why(api: ApiInProcess, provider: ScriptedProvider) -> None:
    provider.fail(400)
    mine = await api.owner()
    task_id = (await api.send(mine))["task_id"]
    await api.closed(mine, task_id)

    task = (await mine.get(f"/api/tasks/{task_id}")).json()

    assert (task["state"], task["reason"]) == ("failed", "error")
    assert set(task["error"]) == {"code", "message"}
    assert task["finished_at"].endswith("Z")


@pytest.mark.parametrize("given", ["right", "wrong", "beyond", "none"])
async def test_a_catch_up_read_gives_the_rest_or_in_doubt_the_whole(
    api: ApiInProcess, provider: ScriptedProvider, given: str
) -> None:
    """A wrong CRC and a place beyond the end are mended, never an error (DESIGN 6, Resume)."""
    text = "A你好👩‍👩‍👧🏽é🌍Z"
    provider.say(text)
    mine = await api.owner()
    task_id = (await api.send(mine))["task_id"]
    await api.closed(mine, task_id)
    query = {
        "right": {"offset": 4, "attempt": 1, "crc": zlib.crc32(text[:4].encode())},
        "wrong": {"offset": 4, "attempt": 1, "crc": 1},
        "beyond": {"offset": 400, "attempt": 1},
        "none": {"offset": 4},
    }[given]

    read = await catch_up(mine, task_id, **query)

    offset = 4 if given in ("right", "none") else 0
    assert (read["offset"], read["text"], read["next"]) == (offset, text[offset:], len(text))
    assert read["crc"] == zlib.crc32(text.encode())
    assert read["parts"] == [{"kind": "text", "start": 0, "end": len(text)}]


async def _has(mine: httpx.AsyncClient, task_id: str, text: str) -> bool:
    return (await catch_up(mine, task_id))["text"] == text
