"""Another owner's ids: byte for byte as if they did not exist, and nothing of theirs is changed."""

from typing import Any

import httpx
import pytest

from tests.integration.api.in_process import ApiInProcess, catch_up
from tests.integration.api.operations import MALFORMED_IDS, address, good_body, operations, parameters
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider

UNKNOWN = "01932f5a-0000-7000-8000-000000000000"


def seen(answer: httpx.Response) -> tuple[int, bytes, list[tuple[str, str]]]:
    """All that a caller can tell two answers apart by, but for the date."""
    return answer.status_code, answer.content, [item for item in answer.headers.items() if item[0] != "date"]


@pytest.mark.parametrize("closed", [False, True])
async def test_no_operation_tells_a_foreign_id_from_an_unknown_one(
    api: ApiInProcess, provider: ScriptedProvider, closed: bool
) -> None:
    """Cases B185, B186, B187."""
    script = provider.script().say("theirs").hold()
    them, me = await api.owner(), await api.owner()
    theirs = await api.send(them)
    await eventually(lambda: _stored(them, theirs["task_id"], "theirs"))
    theirs["call_id"] = await api.a_call(theirs["task_id"])
    if closed:
        script.release()
        await api.closed(them, theirs["task_id"])
    before = await everything(them, theirs)

    walked = 0
    for operation, told in operations(api.api):
        if "id" not in parameters(told, "path"):
            continue
        walked += 1
        method, foreign = address(operation, theirs)
        body = good_body(told)
        unknown = seen(await me.request(method, address(operation, theirs, id=UNKNOWN)[1], **body))
        assert unknown[0] == 404
        assert seen(await me.request(method, foreign, **body)) == unknown, operation
        for malformed in MALFORMED_IDS:
            path = address(operation, theirs, id=malformed)[1]
            assert seen(await me.request(method, path, **body)) == unknown, (operation, malformed)

    assert walked >= 10
    assert await everything(them, theirs) == before
    script.release()
    assert (await api.closed(them, theirs["task_id"]))["text"] == "theirs"


async def test_nobody_sends_into_a_foreign_session(api: ApiInProcess) -> None:
    """Case B185."""
    them, me = await api.owner(), await api.owner()
    theirs = await api.send(them)
    await api.closed(them, theirs["task_id"])
    before = api.rows()

    answers = [
        seen(
            await me.post(
                "/api/messages",
                json={"text": "mine", "session_id": session_id},
                headers={"idempotency-key": "k"},
            )
        )
        for session_id in (theirs["session_id"], UNKNOWN, "\0", "x" * 65)
    ]

    assert answers[0][0] == 404
    assert answers == answers[:1] * 4
    assert api.rows() == before


async def test_nobody_edits_or_shows_a_foreign_message(api: ApiInProcess) -> None:
    """Case B185."""
    them, me = await api.owner(), await api.owner()
    theirs, mine = await api.send(them), await api.send(me)
    await api.closed(me, mine["task_id"])
    path = f"/api/sessions/{mine['session_id']}"
    before = await everything(me, mine)

    edits, shown = [], []
    for message_id in (theirs["message_id"], theirs["answer_id"], UNKNOWN, "\0", "x" * 65):
        body = {"text": "mine", "edits": message_id}
        edits.append(seen(await me.post("/api/messages", json=body, headers={"idempotency-key": "k"})))
        shown.append(seen(await me.patch(path, json={"title": "Mine", "leaf_id": message_id})))

    assert edits[0][0] == shown[0][0] == 404
    assert edits == edits[:1] * 5
    assert shown == shown[:1] * 5
    assert await everything(me, mine) == before


async def test_a_deleted_session_is_answered_like_an_unknown_one(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = await api.send(mine)
    await api.closed(mine, sent["task_id"])
    assert (await mine.delete(f"/api/sessions/{sent['session_id']}")).status_code == 200

    for operation, told in operations(api.api):
        if "id" not in parameters(told, "path") or operation.endswith("undo-delete"):
            continue
        body = good_body(told)
        method, gone = address(operation, sent)
        unknown = seen(await mine.request(method, address(operation, sent, id=UNKNOWN)[1], **body))
        assert seen(await mine.request(method, gone, **body)) == unknown, operation
    for more in ({"session_id": sent["session_id"]}, {"edits": sent["message_id"]}):
        answer = await mine.post(
            "/api/messages", json={"text": "a", **more}, headers={"idempotency-key": "k"}
        )
        assert answer.status_code == 404


async def test_a_page_does_not_begin_before_a_foreign_message(api: ApiInProcess) -> None:
    them, me = await api.owner(), await api.owner()
    theirs, mine = await api.send(them), await api.send(me)
    path = f"/api/sessions/{mine['session_id']}"

    foreign, unknown = [
        seen(await me.get(path, params={"before": id})) for id in (theirs["message_id"], UNKNOWN)
    ]

    assert foreign == unknown


async def test_keys_and_lists_are_each_owners_own(api: ApiInProcess) -> None:
    """Case B189."""
    them, me = await api.owner(), await api.owner()
    headers = {"idempotency-key": "the same"}
    theirs = (await them.post("/api/messages", json={"text": "theirs"}, headers=headers)).json()

    assert seen(await me.get("/api/requests/the%20same")) == seen(await me.get("/api/requests/another"))
    assert (await me.get("/api/sessions")).json() == {"sessions": [], "next": None}
    mine = (await me.post("/api/messages", json={"text": "mine"}, headers=headers)).json()

    assert mine["session_id"] != theirs["session_id"]
    assert (await them.get("/api/requests/the%20same")).json()["result"] == theirs


async def test_the_cookies_value_as_a_bearer_is_the_same_owner(api: ApiInProcess) -> None:
    mine = await api.owner()
    value = mine.cookies["assistant_owner"]

    async with api.stranger() as program:
        who = await program.get("/api/owner", headers={"authorization": f"Bearer {value}"})

    assert who.json() == (await mine.get("/api/owner")).json()
    assert "set-cookie" not in who.headers


async def everything(client: httpx.AsyncClient, sent: dict[str, str]) -> dict[str, Any]:
    return (await client.get(f"/api/sessions/{sent['session_id']}")).json()


async def _stored(client: httpx.AsyncClient, task_id: str, text: str) -> bool:
    """Shown, and in the last snapshot too, so that nothing moves by itself from here on."""
    task = (await client.get(f"/api/tasks/{task_id}")).json()
    return task["offset"] == len(text) and (await catch_up(client, task_id))["text"] == text
