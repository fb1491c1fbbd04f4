"""kill -9 and SIGTERM of the one embedded process, before a provider that goes on from a prefix."""

import asyncio

from tests.e2e.http.stage import TRUE_WITHIN_SECONDS, said_to
from tests.support.app_under_test import AppUnderTest
from tests.support.http_client import ApiClient
from tests.support.llm_script import Script
from tests.support.llm_server import Call, ScriptedProvider

HEAD = ("A family 👩‍👩‍👧 and e", "\u0301 ")
REST = ("你好, ", "the end.")
WHOLE = "".join(HEAD + REST)


async def test_a_killed_server_goes_on_from_the_exact_text_and_its_reader_ends_exact(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B051, B054: the reader that the kill cut off resumes with its offset and CRC."""
    first = provider.say(*HEAD).hold()
    provider.say(*REST)
    sent = await ada.send("Hello?")
    reader = ada.reader(sent["task_id"])
    following = asyncio.create_task(reader.to_the_end())
    await reader.shows(first.text)
    await ada.stored(sent["task_id"], len(first.text))

    app.kill()
    await asyncio.to_thread(app.restart)

    task = await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS)
    assert (task["state"], task["reason"], task["attempt"]) == ("done", "complete", 2)
    assert said_to(provider.calls[1]) == [("user", "Hello?"), ("assistant", first.text)]
    await following
    assert reader.text == WHOLE
    assert (reader.received, reader.taken_back) == (len(WHOLE), False)
    question, answer = await ada.messages(sent["session_id"])
    assert (question["text"], answer["text"]) == ("Hello?", WHOLE)
    assert len(provider.calls) == 2


async def test_a_second_kill_during_the_recovery_changes_nothing(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B052."""
    first = provider.say(*HEAD).hold()
    provider.script().hold()
    provider.say(*REST)
    sent = await ada.send("Hello?")
    await ada.stored(sent["task_id"], len(first.text))

    app.kill()
    await asyncio.to_thread(app.restart)
    await provider.called(2)
    app.kill()
    await asyncio.to_thread(app.restart)

    task = await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS)
    assert (task["reason"], task["attempt"]) == ("complete", 3)
    assert [said_to(call)[-1][1] for call in provider.calls] == ["Hello?", first.text, first.text]
    assert [message["text"] for message in await ada.messages(sent["session_id"])] == ["Hello?", WHOLE]


async def test_a_kill_before_the_first_token_runs_the_task_again_for_one_answer(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    provider.script().hold()
    provider.say(WHOLE)
    sent = await ada.send("Hello?")
    await provider.called(1)

    app.kill()
    await asyncio.to_thread(app.restart)

    task = await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS)
    assert task["reason"] == "complete"
    assert said_to(provider.calls[1]) == [("user", "Hello?")]
    assert [message["text"] for message in await ada.messages(sent["session_id"])] == ["Hello?", WHOLE]


async def test_a_kill_right_after_the_receipt_loses_neither_the_message_nor_its_answer(
    app: AppUnderTest, ada: ApiClient, provider: ScriptedProvider
) -> None:
    """Case B008: five sends, and the kill comes with the last receipt."""
    provider.otherwise = _goes_on
    sends = [await ada.send(f"Number {number}") for number in range(5)]

    app.kill()
    await asyncio.to_thread(app.restart)

    for number, sent in enumerate(sends):
        task = await ada.ended(sent["task_id"], TRUE_WITHIN_SECONDS)
        assert task["reason"] == "complete"
        texts = [message["text"] for message in await ada.messages(sent["session_id"])]
        assert texts == [f"Number {number}", f"You said Number {number}"]


def _goes_on(call: Call) -> Script:
    """What a provider that continues a prefix says: the rest of what it has been told of its answer."""
    last = call.body["messages"][-1]
    kept = last["content"] if last["role"] == "assistant" else ""
    rest = f"You said {call.question}".removeprefix(kept)
    return Script().say(rest) if rest else Script()
