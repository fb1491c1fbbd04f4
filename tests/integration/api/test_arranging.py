"""Edit, rename, archive, another branch, delete and undo over HTTP: each once under its key."""

from typing import Any

import httpx
import pytest

from tests.integration.api.in_process import ApiInProcess, catch_up
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider


async def patch(client: httpx.AsyncClient, sent: dict[str, str], key: str | None = None, **body: Any) -> Any:
    headers = {} if key is None else {"idempotency-key": key}
    return await client.patch(f"/api/sessions/{sent['session_id']}", json=body, headers=headers)


async def snapshot(client: httpx.AsyncClient, sent: dict[str, str]) -> dict[str, Any]:
    answer = await client.get(f"/api/sessions/{sent['session_id']}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def answered(
    api: ApiInProcess, client: httpx.AsyncClient, text: str = "Why?", **more: Any
) -> dict[str, str]:
    sent = await api.send(client, text, **more)
    await api.closed(client, sent["task_id"])
    return sent


async def test_an_edit_names_the_message_alone_and_both_branches_can_be_shown(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    for text in ("A1", "A2"):
        provider.say(text)
    mine = await api.owner()
    first = await answered(api, mine, "Q1")

    edited = await answered(api, mine, "Q1 edited", edits=first["message_id"])
    after = await snapshot(mine, first)
    back = (await patch(mine, first, leaf_id=first["message_id"])).json()
    again = await snapshot(mine, first)

    assert edited["session_id"] == first["session_id"]
    assert [message["text"] for message in after["messages"]] == ["Q1 edited", "A2"]
    assert after["messages"][0]["siblings"] == [first["message_id"], edited["message_id"]]
    assert back["leaf_id"] == first["answer_id"] == again["session"]["leaf_id"]
    assert [message["text"] for message in again["messages"]] == ["Q1", "A1"]


async def test_an_answer_is_not_edited(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await answered(api, mine)

    refused = await mine.post(
        "/api/messages",
        json={"text": "edited", "edits": sent["answer_id"]},
        headers={"idempotency-key": "k"},
    )

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_input")
    assert "answer" in refused.json()["detail"]


async def test_a_session_is_renamed_configured_and_archived_in_one_go(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await answered(api, mine)

    told = await patch(
        mine,
        sent,
        title="  A \0 title ",
        state="archived",
        model="scripted",
        parameters={"top_p": 0.5},
    )

    assert told.status_code == 200
    session = (await snapshot(mine, sent))["session"]
    assert told.json() == session
    assert (session["title"], session["state"], session["model"], session["parameters"]) == (
        "A \ufffd title",
        "archived",
        "scripted",
        {"top_p": 0.5},
    )
    assert (await mine.get("/api/sessions")).json()["sessions"] == []
    archived = await mine.get("/api/sessions", params={"state": "archived"})
    assert archived.json()["sessions"] == [session]


async def test_nothing_named_changes_nothing(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await answered(api, mine)
    before = (await snapshot(mine, sent))["session"]

    told = await patch(mine, sent, title=None)

    assert {**told.json(), "version": 0} == {**before, "version": 0}


async def test_a_patch_under_one_key_is_carried_out_once(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await answered(api, mine)

    first, again = [await patch(mine, sent, "k", title="One") for _ in range(2)]
    other = await patch(mine, sent, "k", title="Two")

    assert first.json() == again.json()
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    asked = (await mine.get("/api/requests/k")).json()
    assert asked == {
        "kind": "arrange",
        "state": "accepted",
        "result": {"session_id": sent["session_id"]},
    }


@pytest.mark.parametrize("keyed", [True, False])
async def test_a_deletion_stops_the_answer_and_can_be_taken_back(
    api: ApiInProcess, provider: ScriptedProvider, keyed: bool
) -> None:
    provider.script().say("kept").hold()
    mine = await api.owner()
    sent = await api.send(mine)
    await eventually(lambda: _has(mine, sent["task_id"], "kept"))
    path = f"/api/sessions/{sent['session_id']}"
    keys = [{"idempotency-key": key} if keyed else {} for key in ("d", "u")]

    deleted = await mine.delete(path, headers=keys[0])
    again = await mine.delete(path, headers=keys[0])
    gone = [await mine.get(address) for address in (path, path + "/changes", f"/api/tasks/{sent['task_id']}")]
    undone = [await mine.post(path + "/undo-delete", headers=keys[1]) for _ in range(2)]

    assert (deleted.status_code, deleted.json()["session_id"]) == (200, sent["session_id"])
    assert deleted.json()["undo_until"].endswith("Z")
    assert (again.status_code, again.content) == (200, deleted.content) if keyed else again.status_code == 404
    assert {answer.status_code for answer in gone} == {404}
    assert [answer.status_code for answer in undone] == [200, 200]
    assert undone[1].json()["state"] == "active"
    after = await snapshot(mine, sent)
    assert (after["messages"][1]["text"], after["tasks"]) == ("kept", [])
    task = (await mine.get(f"/api/tasks/{sent['task_id']}")).json()
    assert (task["state"], task["reason"]) == ("done", "stopped")


async def _has(mine: httpx.AsyncClient, task_id: str, text: str) -> bool:
    return (await catch_up(mine, task_id))["text"] == text


async def test_what_can_be_chosen_is_listed_and_nothing_else_is_taken(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    mine = await api.owner()
    listed = (await mine.get("/api/models")).json()
    offered = (await mine.get("/api/tools")).json()["tools"]
    names = [tool["name"] for tool in offered]
    sent = await answered(api, mine)

    assert listed == {"models": [{"name": "scripted"}], "default": "scripted"}
    assert [tool["needs_decision"] for tool in offered if tool["name"] == "send_mail"] == [True]
    assert provider.calls[0].offered == names
    assert (await patch(mine, sent, parameters={"tools": ["calculator"]})).status_code == 200
    for wrong in ({"tools": ["rm"]}, {"tools": "calculator"}, {"temperature": 3}):
        refused = await patch(mine, sent, parameters=wrong)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_input")
    again = await api.send(mine, session_id=sent["session_id"])
    await api.closed(mine, again["task_id"])
    assert provider.calls[1].offered == ["calculator"]
