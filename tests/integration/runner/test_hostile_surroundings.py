"""What strangers and broken providers do: it ends, once, in words, and costs nobody else anything."""

import math
from typing import Any, cast

import pytest

from assistant.domain.errors import InvalidInput
from assistant.domain.frames import Cursor, Shown
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.transcript import checksum
from assistant.settings import Settings
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, opened


@pytest.mark.parametrize("said", ["bad \ud800 \udfff", "bad \0", "x" * 100_000])
async def test_no_words_of_a_provider_keep_a_task_from_ending(
    assistant: Assistant, provider: ScriptedProvider, said: str
) -> None:
    provider.script().fail(400, {"error": {"message": said}})
    sent = await assistant.send()

    task = await assistant.ended(sent.task_id)

    assert (task.state, task.reason) == (TaskState.FAILED, TaskReason.ERROR)
    assert task.error is not None
    assert task.error.code == "model_bad_request"
    assert len(provider.calls) == 1


async def test_a_usage_report_that_counts_nothing_does_not_spoil_a_good_answer(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    usage: dict[str, Any] = {"total_tokens": 7, "cost": math.nan, "note": "\0", "of": {"cached": 3, "x": []}}
    provider.script().say("good").finish("stop", usage)
    sent = await assistant.send()

    task = await assistant.ended(sent.task_id)

    assert (task.state, task.reason) == (TaskState.DONE, TaskReason.COMPLETE)
    assert task.usage == {"total_tokens": 7, "of": {"cached": 3}}


@pytest.mark.parametrize("entry_id", ["1-99999", "99999-7", "*"])
async def test_a_strangers_entry_in_a_log_keeps_nobody_from_reading_stopping_or_sending(
    assistant: Assistant, provider: ScriptedProvider, entry_id: str
) -> None:
    provider.script().say("kept").hold()
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("kept")
    log = cast(Any, assistant.services.log)
    await log._client.xadd(f"s:{sent.task_id}", {"foo": "bar"}, id=entry_id)

    snapshot = await assistant.services.restoring.snapshot(OWNER, sent.session_id)
    task = await assistant.services.stopping.stop(OWNER, sent.task_id)
    again = await assistant.answered("next", session_id=sent.session_id)

    assert snapshot.messages[-1].text == "kept"
    assert task.state is TaskState.DONE
    assert await assistant.stored(sent.task_id) == "kept"
    assert (await assistant.task(again.task_id)).state is TaskState.DONE


async def test_a_log_ahead_of_its_row_does_not_make_a_claim_go_round_for_ever(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    sent = await quiet.send(delivered=False)
    log = cast(Any, quiet.services.log)
    fields = {"op": "fence", "offset": "0", "text": "", "kind": "text"}
    await log._client.xadd(f"s:{sent.task_id}", fields, id="999-0")

    await quiet.services.working.deliver(sent.task_id)

    assert (await quiet.ended(sent.task_id)).attempt == 1


async def test_a_reader_of_an_attempt_that_never_was_gets_the_whole_text(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("one ").hold().say("two")
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("one ")

    reader = assistant.follow(sent.task_id, Cursor(3, 999, checksum("one")), Shown(999, "one"))
    await eventually(lambda: reader.replaced or reader.text == "one ")
    script.release()
    await reader.ended()

    assert reader.text == "one two"


async def test_one_owners_many_waiting_tasks_keep_nobody_else_waiting(
    settings: Settings, provider: ScriptedProvider
) -> None:
    async with opened(settings.model_copy(update={"owner_tasks": 2, "beat_seconds": 3600.0})) as assistant:
        for _ in range(6):
            await assistant.send(owner="many", delivered=False)
        mine = await assistant.send(delivered=False)
        async with assistant.services.store.read() as unit:
            unheld = await unit.tasks.unheld(limit=3, owner_limit=2)

    assert [task.owner_id for task in unheld] == ["many", "many", OWNER]
    assert unheld[-1].id == mine.task_id


async def test_what_cannot_be_seen_is_no_message_and_an_unknown_model_is_refused(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    for nothing in ("", " \n", "\u200b\u2060", "\0"):
        with pytest.raises(InvalidInput):
            await assistant.send(nothing)
    with pytest.raises(InvalidInput):
        await assistant.send("Hello?", model="nope")
    assert await assistant.services.restoring.sessions(OWNER) == []
