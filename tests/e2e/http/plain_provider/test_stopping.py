"""Stop over HTTP: the provider's line is closed, and what was shown is what is stored."""

import asyncio
import random
import time

from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider

CANCELLED_WITHIN_SECONDS = 2.0


async def test_stop_closes_the_providers_line_and_keeps_what_was_shown(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B095."""
    script = provider.say("Half an ", "answer").hold()
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    await reader.to(script.text)

    asked_at = time.monotonic()
    task = await ada.ask(sent["task_id"], "stop")

    assert (task["state"], task["reason"]) == ("done", "stopped")
    call = await provider.disconnected()
    assert call.disconnected_at is not None
    assert call.disconnected_at - asked_at <= CANCELLED_WITHIN_SECONDS
    await reader.to_the_end()
    assert reader.text == script.text == (await ada.messages(sent["session_id"]))[-1]["text"]


async def test_stop_while_the_text_pours_stores_exactly_what_readers_were_shown(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Stop against entries and, every second time, against the finish: one winner, and one text."""
    chance = random.Random(7)
    truth = "".join(CHUNKS)
    reasons = set()

    for number in range(16):
        pouring = provider.say(*CHUNKS)
        if number % 2:
            pouring.hold()
        sent = await ada.send("Hello?")
        reader = ada.reader(sent["task_id"])
        following = asyncio.create_task(reader.to_the_end())
        await reader.reaches(chance.randrange(len(truth)))
        task = await ada.ask(sent["task_id"], "stop")
        end = await following
        reasons.add(end["reason"])
        stored = (await ada.messages(sent["session_id"]))[-1]["text"]
        assert end["reason"] == task["reason"]
        assert truth.startswith(stored)
        assert (reader.text, reader.taken_back) == (stored, False)

    assert "stopped" in reasons


async def test_stop_while_the_provider_is_tried_again_leaves_one_terminal_state(
    ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B057."""
    provider.fail(503)
    provider.fail(503)
    provider.script().hang_before_first()
    sent = await ada.send("Hello?")
    await provider.called(1)

    task = await ada.ask(sent["task_id"], "stop")

    assert (task["state"], task["reason"]) == ("done", "stopped")
    reader = ada.reader(sent["task_id"])
    assert (await reader.to_the_end())["reason"] == "stopped"
    assert [message["text"] for message in await ada.messages(sent["session_id"])] == ["Hello?", ""]


CHUNKS = tuple(f"word {number} 👩‍👩‍👧 " for number in range(1_500))
