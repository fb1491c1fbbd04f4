"""One wish, one effect, over lines that lose, repeat and delay requests and replies."""

import asyncio
import uuid

import httpx

from tests.support.app_under_test import AppUnderTest
from tests.support.flaky_proxy import Fate, FlakyProxy
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider

FATES = (Fate.REPLY_LOST, Fate.TWICE, Fate.LATE, Fate.REQUEST_LOST, Fate.PASSES)


async def test_twenty_sends_under_one_key_at_once_make_one_task_and_one_provider_call(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B102: each client repeats its send under the key until it has an answer."""
    key = str(uuid.uuid4())
    async with FlakyProxy(app.url, FATES) as proxy:
        client = ada.elsewhere(proxy.url)
        results = await asyncio.gather(*(send_until_answered(client, key) for _ in range(20)))
        await client.http.aclose()

    assert {result.status_code for result in results} == {202}
    sent = results[0].json()
    assert [result.json() for result in results] == [sent] * 20
    assert proxy.met > 20
    assert (await ada.ended(sent["task_id"]))["reason"] == "complete"
    assert len(await ada.messages(sent["session_id"])) == 2
    assert len((await ada.http.get("/api/sessions")).json()["sessions"]) == 1
    assert len(provider.calls) == 1
    asked = (await ada.http.get(f"/api/requests/{key}")).json()
    assert (asked["state"], asked["result"]) == ("accepted", sent)


async def test_another_text_under_the_key_is_refused_and_stores_nothing(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    sent = await ada.send("Hello?", key="k")
    await ada.ended(sent["task_id"])

    refused = await ada.post("Something else", key="k")

    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_key_reused")
    assert await ada.send("Hello?", key="k") == sent
    assert len((await ada.http.get("/api/sessions")).json()["sessions"]) == 1
    assert len(provider.calls) == 1


async def test_of_a_send_and_its_withdrawal_exactly_one_wins(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    winners = []
    for number in range(20):
        key = str(uuid.uuid4())
        wishes = [ada.post(f"Number {number}", key=key), ada.http.delete(f"/api/requests/{key}")]
        if number % 2:
            withdrawal, send = await asyncio.gather(*reversed(wishes))
        else:
            send, withdrawal = await asyncio.gather(*wishes)
        asked = (await ada.http.get(f"/api/requests/{key}")).json()
        winners.append(asked["state"])
        if asked["state"] == "accepted":
            assert (send.status_code, withdrawal.status_code) == (202, 409)
            assert withdrawal.json()["code"] == "request_accepted"
            assert withdrawal.json()["result"] == send.json() == asked["result"]
            await ada.ended(send.json()["task_id"])
        else:
            assert (send.status_code, withdrawal.status_code) == (409, 200)
            assert send.json()["code"] == "request_withdrawn"

    sessions = (await ada.http.get("/api/sessions")).json()["sessions"]
    assert len(sessions) == winners.count("accepted")
    assert set(winners) == {"accepted", "withdrawn"}


async def test_retries_and_stops_repeated_under_their_key_happen_once(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    sent = await ada.send("Hello?")
    await ada.ended(sent["task_id"])
    path, headers = f"/api/tasks/{sent['task_id']}/retry", {"Idempotency-Key": "again"}

    answers = await asyncio.gather(*(ada.http.post(path, headers=headers) for _ in range(10)))

    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["task_id"] for answer in answers}) == 1
    await ada.ended(answers[0].json()["task_id"])
    assert len(provider.calls) == 2


async def send_until_answered(client: ApiClient, key: str) -> httpx.Response:
    """What a retry layer does: the same send, until somebody answers."""
    while True:
        try:
            return await client.post("Hello?", key=key)
        except httpx.TransportError:
            continue
