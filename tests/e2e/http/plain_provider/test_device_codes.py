"""Codes at a real server: one device of twenty wins, time ends a code, and nobody gets to guess."""

import asyncio
import sqlite3
from collections import Counter

from tests.support.app_under_test import AppUnderTest
from tests.support.http_client import ApiClient


async def code_of(owner: ApiClient) -> str:
    return (await owner.http.post("/api/owner/links")).json()["code"]


async def use(device: ApiClient, code: str) -> tuple[int, str]:
    answer = await device.http.post("/api/owner/link", json={"code": code})
    return answer.status_code, answer.json().get("code", "")


async def test_of_twenty_devices_at_once_one_is_linked_and_nobody_afterwards(
    ada: ApiClient, app: AppUnderTest
) -> None:
    # The wrong tries of one address are counted for ten minutes: this server begins without any.
    await asyncio.to_thread(app.restart)
    code, before = await code_of(ada), (await ada.http.get("/api/owner")).json()
    devices = [ApiClient(app.url) for _ in range(20)]
    for device in devices:
        await device.__aenter__()
    outcomes = Counter(await asyncio.gather(*(use(device, code) for device in devices)))
    owners = [(await device.http.get("/api/owner")).json() for device in devices]
    assert outcomes.pop((200, "")) == 1
    assert set(outcomes) <= {(404, "code_unknown"), (429, "too_many_tries")}
    assert owners.count(before) == 1
    for device in devices:
        await device.http.aclose()


async def test_a_code_is_over_with_its_time_and_guesses_are_stopped(
    ada: ApiClient, app: AppUnderTest
) -> None:
    await asyncio.to_thread(app.restart)
    code, good = await code_of(ada), await code_of(ada)
    async with ApiClient(app.url) as eve:
        with sqlite3.connect(app.data_dir / "assistant.db") as database:
            oldest = "SELECT id FROM device_link ORDER BY id DESC LIMIT 1 OFFSET 1"
            past = "UPDATE device_link SET expires_at = '2020-01-01 00:00:00.000000'"
            assert database.execute(f"{past} WHERE id = ({oldest})").rowcount == 1
        assert await use(eve, code) == (404, "code_unknown")
        guesses = [await use(eve, f"AAAA-AAA{letter}") for letter in "ABCDEFGHJ"]
        assert set(guesses) == {(404, "code_unknown")}
        assert await use(eve, good) == (429, "too_many_tries")
        assert (await eve.http.get("/api/owner")).json() != (await ada.http.get("/api/owner")).json()
