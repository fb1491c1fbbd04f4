"""kill -9 of the one embedded process, before a provider that cannot go on from a prefix."""

import asyncio

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, said_to
from tests.support.app_under_test import AppUnderTest
from tests.support.eventually import eventually
from tests.support.http_client import ApiClient
from tests.support.llm_server import ScriptedProvider


async def test_a_killed_answer_is_interrupted_with_its_text_and_continues_or_retries_on_demand(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B051, B054."""
    first = provider.say("Half an ", "answer 👋🏽").hold()
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end())
    await reader.shows(first.text)
    await ada.stored(sent["task_id"], len(first.text))

    app.kill()
    await asyncio.to_thread(app.restart)

    task = await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS)
    assert (task["state"], task["reason"]) == ("failed", "interrupted")
    assert "kept" in task["error"]["message"]
    end = await following
    assert (end["state"], end["reason"]) == ("failed", "interrupted")
    assert (reader.text, reader.taken_back) == (first.text, False)
    assert len(provider.calls) == 1

    provider.say(", and the rest.")
    continued = await ada.ask(sent["task_id"], "continue")
    assert (await ada.ended(continued["task_id"]))["reason"] == "complete"
    assert (await ada.read(continued["task_id"]))["text"] == f"{first.text}, and the rest."
    assert said_to(provider.calls[1])[:2] == [("user", "Hello?"), ("assistant", first.text)]

    provider.say("Another one.")
    retried = await ada.ask(sent["task_id"], "retry")
    assert (await ada.ended(retried["task_id"]))["reason"] == "complete"
    assert (await ada.read(retried["task_id"]))["text"] == "Another one."
    assert said_to(provider.calls[2]) == [("user", "Hello?")]
    assert (await ada.read(sent["task_id"]))["text"] == first.text


async def test_two_kills_in_a_row_leave_one_interrupted_answer_and_a_usable_session(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B052: the second kill comes as soon as the recovery has begun."""
    first = provider.say("Half").hold()
    sent = await ada.send("Hello?")
    await ada.stored(sent["task_id"], len(first.text))

    app.kill()
    rescues = app.log.count("rescue")
    await asyncio.to_thread(super(AppUnderTest, app).start)
    await eventually(lambda: app.log.count("rescue") > rescues, within=30, every=0.001)
    app.kill()
    await asyncio.to_thread(app.restart)

    task = await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS)
    assert (task["state"], task["reason"]) == ("failed", "interrupted")
    assert [message["text"] for message in await ada.messages(sent["session_id"])] == ["Hello?", "Half"]
    stopped = await ada.ask(sent["task_id"], "stop")
    assert stopped["reason"] == "interrupted"
    assert len(provider.calls) == 1


async def test_after_a_kill_the_next_message_stands_under_the_interrupted_answer(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B055, B056: whole turns before it are all there, and the partial text is in context."""
    first = provider.say("First answer.")
    sent = await ada.send("One")
    await ada.ended(sent["task_id"])
    session = sent["session_id"]
    broken = provider.say("Second, half").hold()
    sent = await ada.send("Two", session_id=session)
    await ada.stored(sent["task_id"], len(broken.text))

    app.kill()
    await asyncio.to_thread(app.restart)
    await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS)
    third = provider.say("Third answer.")
    sent = await ada.send("Go on", session_id=session)
    await ada.ended(sent["task_id"])

    texts = ["One", first.text, "Two", broken.text, "Go on"]
    roles = ["user", "assistant"] * 3
    assert said_to(provider.calls[-1]) == list(zip(roles, texts, strict=False))
    messages = await ada.messages(session)
    assert [message["text"] for message in messages] == [*texts, third.text]
    parents = [None, *(message["id"] for message in messages[:-1])]
    assert [message["parent_id"] for message in messages] == parents


async def test_a_kill_at_the_very_first_text_never_leads_to_a_second_answer(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B114: what a reader has seen was stored before, so nobody asks the provider again."""
    provider.say("First words").hold()
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end())
    await reader.shows("First words")

    app.kill()
    await asyncio.to_thread(app.restart)

    task = await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS)
    await following
    assert (task["state"], task["reason"]) == ("failed", "interrupted")
    assert (reader.text, reader.taken_back) == ("First words", False)
    assert len(provider.calls) == 1
