"""Every wish of the API over a line that loses, repeats and delays: carried out once under its key."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.support.app_under_test import AppUnderTest
from tests.support.flaky_proxy import Fate, FlakyProxy
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider

FATES = (Fate.REPLY_LOST, Fate.TWICE, Fate.LATE, Fate.REQUEST_LOST, Fate.PASSES)
DEVICES = 5

Stage = dict[str, Any]
Prepare = Callable[[ApiClient, ScriptedProvider], Awaitable[Stage]]


@dataclass(frozen=True)
class Wish:
    """How it is asked for; then, how many provider calls, versions of the last message, messages."""

    name: str
    prepare: Prepare
    method: str
    path: str
    body: Stage | None
    calls: int
    versions: int
    messages: int


async def answered(ada: ApiClient, provider: ScriptedProvider) -> Stage:
    provider.say("One.")
    sent = await ada.send("A question")
    await ada.ended(sent["task_id"])
    return sent


async def stopped(ada: ApiClient, provider: ScriptedProvider) -> Stage:
    sent = await running(ada, provider)
    await ada.ask(sent["task_id"], "stop")
    return sent


async def running(ada: ApiClient, provider: ScriptedProvider) -> Stage:
    script = provider.say("Half").hold()
    sent = await ada.send("A question")
    await script.held()
    await ada.reader(sent["task_id"]).to("Half")
    return sent


async def paused(ada: ApiClient, provider: ScriptedProvider) -> Stage:
    sent = await running(ada, provider)
    body = {"text": "And this", "session_id": sent["session_id"], "queue": True}
    queued = await ada.http.post("/api/messages", json=body, headers={"Idempotency-Key": str(uuid.uuid4())})
    assert queued.json()["queued"] is True
    await ada.ask(sent["task_id"], "stop")
    return sent


async def deleted(ada: ApiClient, provider: ScriptedProvider) -> Stage:
    sent = await answered(ada, provider)
    await ada.http.delete(f"/api/sessions/{sent['session_id']}")
    return sent


TASK, SESSION = "/api/tasks/{task_id}", "/api/sessions/{session_id}"
MORE = {"text": "More", "session_id": "{session_id}"}
WISHES = (
    Wish("send", answered, "POST", "/api/messages", MORE, 2, 1, 4),
    Wish("queue", running, "POST", "/api/messages", {**MORE, "queue": True}, 1, 1, 2),
    Wish("edit", answered, "POST", "/api/messages", {"text": "Else", "edits": "{message_id}"}, 2, 1, 2),
    Wish("stop", running, "POST", f"{TASK}/stop", None, 1, 1, 2),
    Wish("retry", answered, "POST", f"{TASK}/retry", None, 2, 2, 2),
    Wish("continue", stopped, "POST", f"{TASK}/continue", None, 2, 2, 2),
    Wish("rename", answered, "PATCH", SESSION, {"title": "Other"}, 1, 1, 2),
    Wish("release", paused, "POST", f"{SESSION}/queue/send", None, 2, 1, 4),
    Wish("undo", deleted, "POST", f"{SESSION}/undo-delete", None, 1, 1, 2),
    Wish("delete", answered, "DELETE", SESSION, None, 1, 0, 0),
)


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.name)
async def test_a_wish_repeated_from_many_devices_over_a_bad_line_happens_once(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider, wish: Wish
) -> None:
    """Cases B100, B102: every device repeats it under the one key until it has the answer that all have."""
    stage = await wish.prepare(ada, provider)
    body = wish.body and {name: _filled(value, stage) for name, value in wish.body.items()}
    key = str(uuid.uuid4())

    async def asked_until_answered(client: ApiClient) -> httpx.Response:
        while True:
            try:
                return await client.http.request(
                    wish.method, wish.path.format(**stage), json=body, headers={"Idempotency-Key": key}
                )
            except httpx.TransportError:
                continue

    async with FlakyProxy(app.url, FATES) as proxy:
        client = ada.elsewhere(proxy.url)
        replies = await asyncio.gather(*(asked_until_answered(client) for _ in range(DEVICES)))
        await client.http.aclose()

    assert {reply.status_code for reply in replies} <= {200, 202}, replies[0].text
    ids = [{name: reply.json().get(name) for name in ("task_id", "message_id", "id")} for reply in replies]
    assert ids == [ids[0]] * DEVICES
    if ids[0]["task_id"]:
        await ada.ended(ids[0]["task_id"])
    assert (await ada.http.get(f"/api/requests/{key}")).json()["state"] in ("accepted", "queued")
    assert len(provider.calls) == wish.calls, [call.messages for call in provider.calls]
    shown = (await ada.http.get(f"/api/sessions/{stage['session_id']}")).json().get("messages", [])
    assert len(shown) == wish.messages
    assert len(shown[-1]["siblings"] or [0]) == wish.versions if shown else wish.versions == 0
    sessions = (await ada.http.get("/api/sessions")).json()["sessions"]
    assert len(sessions) == (1 if wish.messages else 0)


def _filled(value: object, stage: Stage) -> object:
    return value.format(**stage) if isinstance(value, str) else value
