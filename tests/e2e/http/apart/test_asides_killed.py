"""kill -9 while a model is asked beside the answer: the title is not asked for again, the summary is."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, app_before
from tests.support.app_under_test import AppUnderTest
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider

OLD, NEW = "old " * 700, "new " * 475


@pytest.fixture(scope="module")
def serving(provider_port: int) -> Iterator[AppUnderTest]:
    """Before a model that reads little at once and is asked for titles."""
    settings = {"CONTEXT_TOKENS": "2048", "TITLES": "true", "TOOLS": "false"}
    environment = {f"ASSISTANT_MODEL_{name}": value for name, value in settings.items()}
    with app_before(provider_port, environment) as app:
        yield app


async def test_a_kill_at_a_title_and_one_at_a_summary(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    provider.say(OLD)
    provider.script().say("Never ").hold().say("heard")
    first = await ada.send("How do I get there?")
    sid = first["session_id"]
    await ada.ended(first["task_id"])
    await provider.called(2)

    app.kill()
    await asyncio.to_thread(app.restart)

    provider.say(NEW)
    second = await ada.send("And back?", session_id=sid)
    await ada.ended(second["task_id"])
    provider.script().say("Half a ").hold()
    third = await ada.send("Well?", session_id=sid)
    await provider.called(4)
    assert "old old" in provider.calls[3].question

    app.kill()
    provider.say("A summary.")
    provider.say("Well.")
    await asyncio.to_thread(app.restart)

    task = await ada.ended(third["task_id"], TRUE_WITHIN_SECONDS)
    assert (task["reason"], task["attempt"]) == ("complete", 2)
    assert (await ada.read(third["task_id"]))["text"] == "Well."
    assert len(provider.calls) == 6
    snapshot = (await ada.http.get(f"/api/sessions/{sid}")).json()
    assert (snapshot["summary"]["text"], snapshot["summary"]["through_id"]) == (
        "A summary.",
        first["answer_id"],
    )
    assert snapshot["session"]["title"] == "How do I get there?"
    assert [message["text"] for message in snapshot["messages"][1::2]] == [OLD, NEW, "Well."]
