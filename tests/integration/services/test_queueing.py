"""A message that waits for its turn: kept, sent once and in order, and held back after a bad end."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.domain.errors import (
    InvalidInput,
    KeyReused,
    NotFound,
    QueueFull,
    RequestWithdrawn,
)
from assistant.domain.records import KeyState, WishKind
from assistant.services import queueing as module
from assistant.services.queueing import Waiting
from assistant.services.sending import Draft
from assistant.services.turns import Sent
from assistant.settings import Settings
from tests.integration.services.queues import accepted, queue_of, waiting
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, as_killed, opened, send_wish


async def test_queued_messages_are_sent_one_after_the_other_once_each_and_in_order(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B108."""
    script = provider.script().hold().say("First.")
    provider.say("Second.")
    provider.say("Third.")
    sent = await anywhere.send("one")
    await script.held()

    assert await anywhere.queue("two", sent.session_id) == Waiting(sent.session_id)
    assert await anywhere.queue("three", sent.session_id) == Waiting(sent.session_id)
    assert await waiting(anywhere, sent.session_id) == [("two", False), ("three", False)]
    script.release()
    last = await accepted(anywhere, "three")
    await anywhere.ended(last.task_id)

    messages = await anywhere.messages(sent.session_id)
    assert [each.text for each in messages] == ["one", "First.", "two", "Second.", "three", "Third."]
    assert [each.client_id for each in messages[2::2]] == ["two", "three"]
    assert await queue_of(anywhere, sent.session_id) == ()
    assert len(provider.calls) == 3


async def test_in_an_idle_session_without_a_queue_it_is_sent_at_once(assistant: Assistant) -> None:
    first = await assistant.services.sending.send(
        OWNER, send_wish("a", Draft("one", queue=True)), Draft("one", queue=True)
    )
    assert isinstance(first, Sent)
    await assistant.ended(first.task_id)

    second = await assistant.queue("two", first.session_id)

    assert isinstance(second, Sent)
    assert (await assistant.services.wishes.ask(OWNER, "two")).state is KeyState.ACCEPTED


async def test_a_key_says_what_became_of_its_message_so_far(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B108."""
    script = provider.script().hold()
    sent = await anywhere.send("one")
    await script.held()
    for _ in range(2):
        assert await anywhere.queue("two", sent.session_id) == Waiting(sent.session_id)
    asked = await anywhere.services.wishes.ask(OWNER, "two")
    assert (asked.state, asked.kind, asked.result) == (
        KeyState.QUEUED,
        WishKind.SEND,
        {"session_id": sent.session_id},
    )
    with pytest.raises(KeyReused):
        await anywhere.queue("another", sent.session_id, key="two")
    with pytest.raises(KeyReused):
        await anywhere.send("two", session_id=sent.session_id, key="two")

    script.release()
    turn = await accepted(anywhere, "two")

    assert await anywhere.queue("two", sent.session_id) == turn
    assert len(await anywhere.messages(sent.session_id)) == 4


async def test_a_withdrawal_takes_a_message_out_and_it_is_never_sent(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().hold()
    sent = await anywhere.send("one")
    await script.held()
    for text in ("two", "three", "four"):
        await anywhere.queue(text, sent.session_id)
    before = await anywhere.services.restoring.snapshot(OWNER, sent.session_id)

    for _ in range(2):
        record = await anywhere.services.wishes.withdraw(OWNER, "three")
        assert (record.state, record.result) == (KeyState.WITHDRAWN, None)

    changes = await anywhere.services.restoring.changes(OWNER, sent.session_id, before.session.version)
    assert [each.key for each in changes.queued] == ["two", "four"]
    with pytest.raises(RequestWithdrawn):
        await anywhere.queue("three", sent.session_id)
    script.release()
    await anywhere.ended((await accepted(anywhere, "four")).task_id)
    assert (await anywhere.shown(sent.session_id))[0::2] == ["one", "two", "four"]


async def test_the_process_that_ended_an_answer_goes_on_by_itself(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    """Without a pass of the reconciler."""
    script = provider.script().hold()
    sent = await quiet.send("one")
    await script.held()
    await quiet.queue("two", sent.session_id)
    script.release()
    await quiet.ended((await accepted(quiet, "two")).task_id)


async def test_a_queue_survives_the_death_of_its_process(
    settings: Settings, tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Case B108: killed while the answer before it runs; the next process goes on once that has ended."""
    script = provider.script().hold()
    async with opened(settings) as assistant:
        sent = await assistant.send("one")
        await script.held()
        await assistant.queue("two", sent.session_id)
        killed = as_killed(settings, tmp_path / "killed")
        script.release()
    async with opened(killed) as assistant:
        await assistant.ended((await accepted(assistant, "two")).task_id)
        assert (await assistant.shown(sent.session_id))[0::2] == ["one", "two"]
        assert [call.question for call in provider.calls].count("two") <= 2


async def test_a_message_is_added_to_the_branch_that_is_chosen_at_its_turn(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    first = await assistant.answered("one")
    edited = await assistant.answered("one, edited", edits=first.message_id)
    script = provider.script().hold()
    running = await assistant.send("two", session_id=first.session_id)
    await script.held()
    await assistant.queue("three", first.session_id)

    await assistant.show(first.session_id, first.answer_id)
    script.release()
    turn = await accepted(assistant, "three")

    assert (await assistant.shown(first.session_id))[0::2] == ["one", "three"]
    question = next(each for each in await assistant.messages(first.session_id) if each.id == turn.message_id)
    assert question.parent_id == first.answer_id
    assert running.session_id == edited.session_id


async def test_what_a_message_names_for_the_model_holds_from_its_turn_on(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().hold()
    sent = await assistant.send("one")
    await script.held()
    await assistant.queue("two", sent.session_id, model="other")
    before = (await assistant.services.restoring.snapshot(OWNER, sent.session_id)).session
    script.release()
    await assistant.ended((await accepted(assistant, "two")).task_id)

    after = (await assistant.services.restoring.snapshot(OWNER, sent.session_id)).session
    assert (before.model, after.model) == (None, "other")
    assert [call.body["model"] for call in provider.calls] == ["scripted", "other"]


@pytest.mark.parametrize(
    ("wrong", "refusal"),
    [
        ({"text": " "}, InvalidInput),
        ({"model": "unknown"}, InvalidInput),
        ({"edits": "the first"}, InvalidInput),
        ({"session_id": "nowhere"}, NotFound),
    ],
)
async def test_what_could_not_be_sent_is_not_queued(
    assistant: Assistant, provider: ScriptedProvider, wrong: dict[str, Any], refusal: type[Exception]
) -> None:
    script = provider.script().hold()
    sent = await assistant.send("one")
    await script.held()
    wanted = replace(Draft("two", sent.session_id, queue=True), **wrong)

    with pytest.raises(refusal):
        await assistant.services.sending.send(OWNER, send_wish("k", wanted), wanted)
    with pytest.raises(NotFound):
        await assistant.services.wishes.ask(OWNER, "k")
    assert await queue_of(assistant, sent.session_id) == ()
    script.release()


async def test_a_queue_is_bounded_by_number_and_by_length(
    assistant: Assistant, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = provider.script().hold()
    sent = await assistant.send("one")
    await script.held()
    for number in range(module.MAX_QUEUED):
        await assistant.queue(f"queued {number}", sent.session_id)
    with pytest.raises(QueueFull):
        await assistant.queue("one more", sent.session_id)
    with pytest.raises(NotFound):
        await assistant.services.wishes.ask(OWNER, "one more")

    await assistant.services.wishes.withdraw(OWNER, "queued 7")
    monkeypatch.setattr(module, "MAX_QUEUED_CHARACTERS", 200)
    with pytest.raises(QueueFull):
        await assistant.queue("x" * 100, sent.session_id)
    assert await assistant.queue("one more", sent.session_id) == Waiting(sent.session_id)
    script.release()


async def test_a_foreign_queue_is_unknown(assistant: Assistant, provider: ScriptedProvider) -> None:
    script = provider.script().hold()
    sent = await assistant.send("one")
    await script.held()
    await assistant.queue("two", sent.session_id)
    draft = Draft("theirs", sent.session_id, queue=True)

    with pytest.raises(NotFound):
        await assistant.services.sending.send("eve", send_wish("k", draft), draft)
    with pytest.raises(NotFound):
        await assistant.services.queueing.release("eve", sent.session_id)
    assert (await assistant.services.wishes.withdraw("eve", "two")).state is KeyState.WITHDRAWN
    assert [each.text for each in await queue_of(assistant, sent.session_id)] == ["two"]
    script.release()
