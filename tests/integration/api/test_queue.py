"""A message sent with `queue`: accepted while the session is busy, told to everybody, sent at its turn."""

from typing import Any

import httpx
import pytest

from tests.integration.api.in_process import ApiInProcess
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider


async def queued(client: httpx.AsyncClient, sent: dict[str, str], text: str) -> httpx.Response:
    """Send a message that may wait, under its text as the key."""
    body = {"text": text, "session_id": sent["session_id"], "queue": True}
    return await client.post("/api/messages", json=body, headers={"idempotency-key": text})


async def snapshot(client: httpx.AsyncClient, sent: dict[str, str]) -> dict[str, Any]:
    return (await client.get(f"/api/sessions/{sent['session_id']}")).json()


async def accepted(client: httpx.AsyncClient, key: str) -> dict[str, str]:
    """What became of a key, once it was its turn."""
    told: dict[str, Any] = {}

    async def its_turn_came() -> bool:
        told.update((await client.get(f"/api/requests/{key}")).json())
        return told["state"] == "accepted"

    await eventually(its_turn_came)
    return told["result"]


async def test_a_queued_message_is_told_to_everybody_and_sent_at_its_turn(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    """Case B108."""
    script = provider.script().hold()
    mine = await api.owner()
    sent = await api.send(mine)
    before = await snapshot(mine, sent)

    answer = await queued(mine, sent, "two")

    waiting = {"session_id": sent["session_id"], "message_id": None, "answer_id": None, "task_id": None}
    assert (answer.status_code, answer.json()) == (202, {**waiting, "queued": True})
    changes = (
        await mine.get(
            f"/api/sessions/{sent['session_id']}/changes", params={"since": before["session"]["version"]}
        )
    ).json()
    assert changes["queued"] == (await snapshot(mine, sent))["queued"]
    row = changes["queued"][0]
    assert row.pop("created_at").endswith("Z")
    assert row == {"key": "two", "text": "two", "position": 1, "paused": False}
    assert (await mine.get("/api/requests/two")).json() == {
        "kind": "send",
        "state": "queued",
        "result": {"session_id": sent["session_id"]},
    }
    script.release()
    turn = await accepted(mine, "two")
    again = await queued(mine, sent, "two")
    assert (again.status_code, again.json()) == (202, turn)
    assert (await snapshot(mine, sent))["queued"] == []
    assert api.rows()["message"] == 4


async def test_in_an_idle_session_it_is_sent_at_once_as_ever(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await api.send(mine)
    await api.closed(mine, sent["task_id"])

    answer = await queued(mine, sent, "two")

    assert answer.status_code == 202
    assert set(answer.json()) == {"session_id", "message_id", "answer_id", "task_id"}
    assert all(answer.json().values())


async def test_a_queued_message_can_be_withdrawn(api: ApiInProcess, provider: ScriptedProvider) -> None:
    script = provider.script().hold()
    mine = await api.owner()
    sent = await api.send(mine)
    await queued(mine, sent, "two")

    for _ in range(2):
        gone = await mine.delete("/api/requests/two")
        assert (gone.status_code, gone.json()) == (
            200,
            {"kind": "send", "state": "withdrawn", "result": None},
        )
    late = await queued(mine, sent, "two")

    assert (late.status_code, late.json()["code"]) == (409, "request_withdrawn")
    assert (await snapshot(mine, sent))["queued"] == []
    script.release()


async def test_a_message_whose_turn_came_is_not_withdrawn(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    script = provider.script().hold()
    mine = await api.owner()
    sent = await api.send(mine)
    await queued(mine, sent, "two")
    script.release()
    turn = await accepted(mine, "two")

    refused = await mine.delete("/api/requests/two")

    assert (refused.status_code, refused.json()["code"]) == (409, "request_accepted")
    assert refused.json()["result"] == turn


async def test_after_a_failure_the_queue_waits_for_the_users_word(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    """Case B110."""
    script = provider.script().hold().fail(400)
    mine = await api.owner()
    sent = await api.send(mine)
    await queued(mine, sent, "two")
    path = f"/api/sessions/{sent['session_id']}/queue/send"
    busy = await mine.post(path)
    script.release()
    assert (await api.closed(mine, sent["task_id"]))["state"] == "failed"
    assert [each["paused"] for each in (await snapshot(mine, sent))["queued"]] == [True]

    released = [await mine.post(path, headers={"idempotency-key": "go on"}) for _ in range(2)]

    assert (busy.status_code, busy.json()["code"]) == (409, "session_busy")
    assert [each.status_code for each in released] == [202, 202]
    assert released[0].json() == released[1].json() == await accepted(mine, "two")
    asked = (await mine.get("/api/requests/go%20on")).json()
    assert (asked["kind"], asked["result"]) == ("release", released[0].json())
    await api.closed(mine, released[0].json()["task_id"])
    empty = await mine.post(path)
    assert (empty.status_code, empty.json()["code"]) == (409, "nothing_queued")


async def test_a_full_queue_refuses_in_words(api: ApiInProcess, provider: ScriptedProvider) -> None:
    script = provider.script().hold()
    mine = await api.owner()
    sent = await api.send(mine)
    for number in range(20):
        assert (await queued(mine, sent, f"queued {number}")).status_code == 202

    refused = await queued(mine, sent, "one more")

    assert (refused.status_code, refused.json()["code"]) == (409, "queue_full")
    assert "20 messages" in refused.json()["detail"]
    assert (await mine.get("/api/requests/one%20more")).status_code == 404
    script.release()


@pytest.mark.parametrize("more", [{"queue": "yes"}, {"queue": None}, {"queue": True, "edits": "SENT"}])
async def test_what_cannot_be_queued_is_invalid(api: ApiInProcess, more: dict[str, Any]) -> None:
    mine = await api.owner()
    sent = await api.send(mine)
    await api.closed(mine, sent["task_id"])
    if "edits" in more:
        more = {**more, "edits": sent["message_id"]}

    answer = await mine.post("/api/messages", json={"text": "two", **more}, headers={"idempotency-key": "k"})

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")


async def test_a_foreign_queue_is_as_unknown_as_its_session(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    """Case B185."""
    script = provider.script().hold()
    them, me = await api.owner(), await api.owner()
    theirs = await api.send(them)
    await queued(them, theirs, "two")

    assert (await queued(me, theirs, "mine")).status_code == 404
    assert (await me.get("/api/requests/two")).status_code == 404
    assert (await me.delete("/api/requests/two")).json()["state"] == "withdrawn"
    assert [each["key"] for each in (await snapshot(them, theirs))["queued"]] == ["two"]
    script.release()


async def test_a_queued_message_is_edited_in_its_place(api: ApiInProcess, provider: ScriptedProvider) -> None:
    script = provider.script().hold()
    mine = await api.owner()
    sent = await api.send(mine)
    await queued(mine, sent, "two")
    await queued(mine, sent, "three")

    for key in (None, "edit", "edit"):
        edited = await mine.patch(
            "/api/requests/two",
            json={"text": "zwei"},
            headers={} if key is None else {"idempotency-key": key},
        )
        assert (edited.status_code, edited.json()) == (
            200,
            {"kind": "send", "state": "queued", "result": {"session_id": sent["session_id"]}},
        )
    assert (await queued(mine, sent, "two")).json()["queued"] is True
    rows = (await snapshot(mine, sent))["queued"]
    assert [(row["key"], row["text"], row["position"]) for row in rows] == [
        ("two", "zwei", 1),
        ("three", "three", 2),
    ]
    other = await mine.patch("/api/requests/two", json={"text": "deux", "replaces": "two"})
    assert (other.status_code, other.json()["code"], other.json()["text"]) == (409, "request_edited", "zwei")

    script.release()
    turn = await accepted(mine, "two")
    late = await mine.patch("/api/requests/two", json={"text": "deux"})
    assert (late.status_code, late.json()["code"], late.json()["result"]) == (409, "request_accepted", turn)
    assert late.headers["content-type"] == "application/problem+json"
    repeated = await mine.patch("/api/requests/two", json={"text": "zwei"})
    assert (repeated.status_code, repeated.json()["result"]) == (200, turn)
    texts = [each["text"] for each in (await snapshot(mine, sent))["messages"]]
    assert texts[2] == "zwei"


async def test_what_does_not_wait_is_not_edited(api: ApiInProcess, provider: ScriptedProvider) -> None:
    """Case B185: a foreign key is as unknown as one that nobody used."""
    script = provider.script().hold()
    them, me = await api.owner(), await api.owner()
    sent = await api.send(them)
    await queued(them, sent, "two")
    await queued(them, sent, "three")

    foreign, unknown, malformed = [
        await me.patch(f"/api/requests/{key}", json={"text": "mine"}) for key in ("two", "no-such", "%00")
    ]
    assert foreign.status_code == 404
    assert foreign.content == unknown.content == malformed.content
    await them.delete("/api/requests/three")
    gone = await them.patch("/api/requests/three", json={"text": "drei"})
    assert (gone.status_code, gone.json()["code"]) == (409, "request_withdrawn")
    empty = await them.patch("/api/requests/two", json={"text": " "})
    assert (empty.status_code, empty.json()["code"]) == (400, "invalid_input")
    assert [each["text"] for each in (await snapshot(them, sent))["queued"]] == ["two"]
    script.release()
