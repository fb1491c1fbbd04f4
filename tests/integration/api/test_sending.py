"""POST /api/messages and its key: once, whatever is repeated."""

from typing import Any

import httpx
import pytest

from tests.integration.api.in_process import ApiInProcess
from tests.support.llm_server import ScriptedProvider


async def post(client: httpx.AsyncClient, key: str | None, **body: Any) -> httpx.Response:
    headers = {} if key is None else {"idempotency-key": key}
    return await client.post("/api/messages", json=body, headers=headers)


async def test_a_message_makes_a_session_and_is_answered(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    provider.say("Hel", "lo", " 😀")
    mine = await api.owner()

    sent = await api.send(mine, "Say hello")

    read = await api.closed(mine, sent["task_id"])
    assert (read["text"], read["state"], read["reason"]) == ("Hello 😀", "done", "complete")
    assert (read["offset"], read["next"]) == (0, 7)
    assert read["parts"] == [{"kind": "text", "start": 0, "end": 7}]
    assert provider.calls[0].question == "Say hello"


async def test_the_same_key_and_body_give_the_first_result(api: ApiInProcess) -> None:
    mine = await api.owner()

    first, again = [await post(mine, "k", text="Why?", model=None) for _ in range(2)]

    assert (again.status_code, again.json()) == (202, first.json())
    assert api.rows()["message"] == 2


async def test_the_same_key_and_another_body_are_refused(api: ApiInProcess) -> None:
    mine = await api.owner()
    await post(mine, "k", text="Why?")

    other = await post(mine, "k", text="Why not?")

    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")


@pytest.mark.parametrize("key", [None, ""])
async def test_a_send_without_a_key_is_refused(api: ApiInProcess, key: str | None) -> None:
    answer = await post(await api.owner(), key, text="Why?")

    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_missing")
    assert api.rows()["message"] == 0


async def test_a_second_message_waits_outside_while_the_first_is_answered(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    script = provider.script().hold()
    mine = await api.owner()
    sent = await api.send(mine)

    busy = await post(mine, "second", text="And?", session_id=sent["session_id"])

    assert (busy.status_code, busy.json()["code"]) == (409, "session_busy")
    asked = await mine.get("/api/requests/second")
    assert asked.status_code == 404, "a refusal stores nothing"
    script.release()


async def test_what_became_of_a_key_can_be_asked(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = (await post(mine, "a/key with?signs", text="Why?")).json()

    asked = await mine.get("/api/requests/a%2Fkey%20with%3Fsigns")

    assert asked.json() == {"kind": "send", "state": "accepted", "result": sent}


async def test_a_withdrawn_key_sends_nothing_ever(api: ApiInProcess) -> None:
    mine = await api.owner()

    for _ in range(2):
        withdrawn = await mine.delete("/api/requests/k")
        assert (withdrawn.status_code, withdrawn.json()["state"]) == (200, "withdrawn")
    late = await post(mine, "k", text="Why?")

    assert (late.status_code, late.json()["code"]) == (409, "request_withdrawn")
    assert api.rows()["message"] == 0


async def test_a_key_that_was_accepted_is_not_withdrawn_and_says_what_it_made(api: ApiInProcess) -> None:
    mine = await api.owner()
    sent = (await post(mine, "k", text="Why?")).json()

    refused = await mine.delete("/api/requests/k")

    assert (refused.status_code, refused.json()["code"]) == (409, "request_accepted")
    assert refused.json()["result"] == sent


async def test_the_parameters_reach_the_provider(api: ApiInProcess, provider: ScriptedProvider) -> None:
    mine = await api.owner()

    sent = await api.send(mine, parameters={"temperature": 0.5, "max_tokens": 7, "system": "Be brief."})

    call = await provider.called()
    assert (call.body["temperature"], call.body["max_tokens"]) == (0.5, 7)
    session = (await mine.get(f"/api/sessions/{sent['session_id']}")).json()["session"]
    assert session["parameters"] == {"temperature": 0.5, "max_tokens": 7, "system": "Be brief."}


async def test_going_down_refuses_new_work_and_goes_on_reading(
    api: ApiInProcess, provider: ScriptedProvider
) -> None:
    mine = await api.owner()
    sent = await api.send(mine)
    task_id = sent["task_id"]
    await api.closed(mine, task_id)

    api.services.refuse_sends()

    refused = [
        await post(mine, "late", text="Why?"),
        await mine.post(f"/api/tasks/{task_id}/retry"),
        await mine.post(f"/api/tasks/{task_id}/continue"),
        await mine.post(f"/api/sessions/{sent['session_id']}/queue/send"),
    ]
    assert [(each.status_code, each.json()["code"]) for each in refused] == [(503, "not_ready")] * 4
    assert all(each.headers["retry-after"] == "1" for each in refused)
    assert (await mine.get(f"/api/tasks/{task_id}")).status_code == 200
    assert (await mine.delete("/api/requests/late")).status_code == 200
