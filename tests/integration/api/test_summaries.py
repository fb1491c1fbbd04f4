"""The summary of a conversation that outgrew its model, over HTTP: told, deleted once, and nobody else's."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.api.in_process import ApiInProcess, api_in_process
from tests.support.llm_server import ScriptedProvider

OLD, NEW = "old " * 700, "new " * 475
"""Two answers which fit a window of 2,048 tokens one by one, and not both."""

SUMMARY = "They spoke of <b>trains</b>."


@pytest.fixture
async def small(
    provider: ScriptedProvider, new_database: Callable[[], str], tmp_path: Path
) -> AsyncGenerator[ApiInProcess]:
    """Before a model that reads little at once."""
    little: dict[str, Any] = {"model_context_tokens": 2_048, "model_tools": False}
    async with api_in_process(provider, new_database(), tmp_path, **little) as api:
        yield api


async def summarised(api: ApiInProcess, provider: ScriptedProvider, client: httpx.AsyncClient) -> list[Any]:
    """A session of three exchanges, of which the first is summarised."""
    for text in (OLD, NEW, SUMMARY, "Well."):
        provider.say(text)
    sent = [await api.send(client, "One?")]
    for question in ("Two?", "Three?"):
        await api.closed(client, sent[-1]["task_id"])
        sent.append(await api.send(client, question, session_id=sent[0]["session_id"]))
    await api.closed(client, sent[-1]["task_id"])
    return sent


async def told(client: httpx.AsyncClient, path: str) -> dict[str, Any]:
    answer = await client.get(f"/api/sessions/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_snapshot_and_changes_name_it_and_a_branch_above_has_none(
    small: ApiInProcess, provider: ScriptedProvider
) -> None:
    mine = await small.owner()
    sent = await summarised(small, provider, mine)
    sid = sent[0]["session_id"]

    snapshot = await told(mine, sid)
    summary = snapshot["summary"]

    assert {name: summary[name] for name in ("through_id", "text", "model")} == {
        "through_id": sent[0]["answer_id"],
        "text": SUMMARY,
        "model": None,
    }
    assert [each["text"] for each in snapshot["messages"]] == ["One?", OLD, "Two?", NEW, "Three?", "Well."]
    changed = await told(mine, f"{sid}/changes?since=0")
    assert changed["summary"] == summary
    assert (await told(mine, f"{sid}/changes?since={changed['version']}"))["summary"] is None
    assert SUMMARY in provider.calls[-1].messages[0]["content"]
    assert provider.calls[-1].messages[0]["content"].endswith("Two?")

    await small.closed(mine, (await small.send(mine, "Edited?", edits=sent[0]["message_id"]))["task_id"])
    assert (await told(mine, sid))["summary"] is None


async def test_a_delete_is_done_once_under_its_key_and_takes_no_message(
    small: ApiInProcess, provider: ScriptedProvider
) -> None:
    mine = await small.owner()
    sent = await summarised(small, provider, mine)
    sid = sent[0]["session_id"]
    before = await told(mine, sid)

    async def delete() -> httpx.Response:
        return await mine.delete(f"/api/sessions/{sid}/summary", headers={"idempotency-key": "once"})

    assert ((await delete()).status_code, (await delete()).json()) == (200, {"session_id": sid})
    after = await told(mine, sid)
    assert (after["summary"], after["messages"]) == (None, before["messages"])
    assert (await told(mine, f"{sid}/changes?since={before['session']['version']}"))["session"] is not None

    for text in ("Another summary.", "Yes."):
        provider.say(text)
    await small.closed(mine, (await small.send(mine, "Four?", session_id=sid))["task_id"])
    assert (await delete()).status_code == 200, "a repeat that comes late"
    assert (await told(mine, sid))["summary"]["text"] == "Another summary."
    assert (await mine.get("/api/requests/once")).json()["kind"] == "delete_summary"
    assert (await mine.delete(f"/api/sessions/{sid}/summary")).status_code == 200
    assert (await mine.delete(f"/api/sessions/{sid}/summary")).status_code == 200, "there is none"


async def test_neither_a_file_nor_a_reader_of_a_link_is_told_of_it(
    small: ApiInProcess, provider: ScriptedProvider
) -> None:
    """It is made anew from the messages where it is needed, and readers are told no more than messages."""
    mine = await small.owner()
    sid = (await summarised(small, provider, mine))[0]["session_id"]
    link = (await mine.post(f"/api/sessions/{sid}/share", json={"with_arguments": True})).json()

    file = await mine.get(f"/api/sessions/{sid}/export")
    shared = await mine.get(f"/api/shared/{link['token']}")

    assert "trains" not in file.text
    assert "trains" not in shared.text
    imported = await mine.post("/api/sessions/import", json=file.json())
    assert imported.status_code == 201
    assert (await told(mine, imported.json()["id"]))["summary"] is None
