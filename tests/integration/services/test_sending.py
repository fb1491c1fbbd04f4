"""Every send once: one key, one message, one task, one provider call, whatever happens to the replies."""

import asyncio
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select, update

from assistant.domain.errors import (
    InvalidInput,
    KeyReused,
    NotFound,
    RequestAccepted,
    RequestWithdrawn,
    SessionBusy,
)
from assistant.domain.records import KeyState
from assistant.domain.task import TaskReason
from assistant.storage.databases import Engines
from assistant.storage.schema import keys, metadata
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant


async def test_twenty_sends_under_one_key_at_once_are_one_send(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B100, B102, B104: the message carries the key, by which a page knows its own bubble."""
    provider.say("Once.")

    sent = await asyncio.gather(*(anywhere.send("Hello?", key="k") for _ in range(20)))
    await anywhere.ended(sent[0].task_id)

    assert len(set(sent)) == 1
    assert await _count(anywhere, "task") == 1
    question, answer = await anywhere.messages(sent[0].session_id)
    assert (question.client_id, question.text, answer.text) == ("k", "Hello?", "Once.")
    assert await _count(anywhere, "message") == 2
    assert len(provider.calls) == 1


async def test_another_body_under_a_used_key_is_refused_and_changes_nothing(anywhere: Assistant) -> None:
    sent = await anywhere.send("Hello?", key="k")
    await anywhere.ended(sent.task_id)

    with pytest.raises(KeyReused):
        await anywhere.send("Something else", key="k")

    assert await _count(anywhere, "task") == 1
    assert (await anywhere.services.wishes.ask(OWNER, "k")).result == {
        "session_id": sent.session_id,
        "message_id": sent.message_id,
        "answer_id": sent.answer_id,
        "task_id": sent.task_id,
    }


async def test_of_a_send_and_its_withdrawal_one_wins_and_the_other_is_told(anywhere: Assistant) -> None:
    """Case B102: fifty rivals, each pair with a key of its own."""
    wins = {"send": 0, "withdrawal": 0}
    for number in range(50):
        key = f"k{number}"
        if number % 2:
            withdrawal = asyncio.ensure_future(anywhere.services.wishes.withdraw(OWNER, key))
            send = asyncio.ensure_future(anywhere.send(key=key))
        else:
            send = asyncio.ensure_future(anywhere.send(key=key))
            withdrawal = asyncio.ensure_future(anywhere.services.wishes.withdraw(OWNER, key))
        await asyncio.wait({send, withdrawal})
        if isinstance(send.exception(), RequestWithdrawn):
            wins["withdrawal"] += 1
            assert withdrawal.result().state is KeyState.WITHDRAWN
        else:
            wins["send"] += 1
            refused = withdrawal.exception()
            assert isinstance(refused, RequestAccepted)
            assert refused.details["result"]["task_id"] == send.result().task_id

    assert await _count(anywhere, "task") == wins["send"]
    assert min(wins.values()) > 0, "the race has two possible ends"


async def test_what_is_withdrawn_stays_withdrawn(assistant: Assistant, provider: ScriptedProvider) -> None:
    await assistant.services.wishes.withdraw(OWNER, "k")
    await assistant.services.wishes.withdraw(OWNER, "k")

    for _ in range(3):
        with pytest.raises(RequestWithdrawn):
            await assistant.send(key="k")

    assert (await assistant.services.wishes.ask(OWNER, "k")).state is KeyState.WITHDRAWN
    assert await _count(assistant, "session") == await _count(assistant, "task") == 0
    assert provider.calls == []


async def test_an_unknown_key_is_not_found(assistant: Assistant) -> None:
    with pytest.raises(NotFound):
        await assistant.services.wishes.ask(OWNER, "never used")


@pytest.mark.parametrize("text", ["", " \n\t "])
async def test_an_empty_message_is_refused_and_stores_no_key(assistant: Assistant, text: str) -> None:
    with pytest.raises(InvalidInput):
        await assistant.send(text, key="k")

    for table in ("idempotency_key", "session", "message", "task"):
        assert await _count(assistant, table) == 0
    assert await assistant.answered("Hello?")


@pytest.mark.parametrize("key", ["", "ключ", "a\nb", "x" * 201])
async def test_a_key_that_is_no_key_is_refused(assistant: Assistant, key: str) -> None:
    with pytest.raises(InvalidInput):
        await assistant.services.wishes.withdraw(OWNER, key)
    assert await _count(assistant, "idempotency_key") == 0


async def test_a_busy_session_refuses_stores_no_key_and_takes_the_same_wish_later(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("Wait").hold()
    first = await assistant.send("Hello?")
    await assistant.streaming(first.task_id)

    with pytest.raises(SessionBusy):
        await assistant.send("More", session_id=first.session_id, key="k")
    with pytest.raises(NotFound):
        await assistant.services.wishes.ask(OWNER, "k")
    assert len(await assistant.messages(first.session_id)) == 2

    await script.held()
    script.release()
    await assistant.ended(first.task_id)
    second = await assistant.send("More", session_id=first.session_id, key="k")
    assert (await assistant.ended(second.task_id)).reason is TaskReason.COMPLETE


async def test_a_send_is_known_by_its_message_after_its_key_is_gone(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B102: the retry of a reply that was lost for days."""
    sent = await anywhere.send("Hello?", key="k")
    await anywhere.ended(sent.task_id)
    await _sweep(anywhere)
    assert await _count(anywhere, "idempotency_key") == 0

    asked = await anywhere.services.wishes.ask(OWNER, "k")
    with pytest.raises(RequestAccepted):
        await anywhere.services.wishes.withdraw(OWNER, "k")
    again = [await anywhere.send("Hello?", key="k") for _ in range(3)]

    assert asked.state is KeyState.ACCEPTED
    assert asked.result is not None
    assert asked.result["task_id"] == sent.task_id
    assert again == [sent, sent, sent]
    assert await _count(anywhere, "message") == 2
    assert len(provider.calls) == 1


async def test_a_send_repeated_after_a_retry_still_names_the_task_that_it_made(assistant: Assistant) -> None:
    sent = await assistant.send("Hello?", key="k")
    await assistant.ended(sent.task_id)
    retried = await assistant.services.retrying.retry(OWNER, sent.task_id)
    await assistant.ended(retried.id)
    await _sweep(assistant)

    assert await assistant.send("Hello?", key="k") == sent


async def test_two_sessions_are_answered_side_by_side(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    scripts = [provider.script().say(word).hold().say(" done") for word in ("left", "left")]
    first, second = await assistant.send("One"), await assistant.send("Two")
    for script in scripts:
        await script.held()

    for script in scripts:
        script.release()
    await assistant.ended(first.task_id)
    await assistant.ended(second.task_id)

    assert first.session_id != second.session_id
    for sent, question in ((first, "One"), (second, "Two")):
        texts = [message.text for message in await assistant.messages(sent.session_id)]
        assert texts == [question, "left done"]


async def _sweep(assistant: Assistant) -> None:
    """Age every key beyond its time and sweep, as the reconciler does."""
    await assistant.change(update(keys).values(expires_at=datetime(2020, 1, 1, tzinfo=UTC)))
    async with assistant.services.store.write() as unit:
        await unit.keys.sweep(now=assistant.services.clock.now())


async def _count(assistant: Assistant, table: str) -> int:
    engines = Engines(assistant.services.settings.database_url)
    try:
        async with engines.read.begin() as connection:
            counted = await connection.execute(select(func.count()).select_from(metadata.tables[table]))
            return counted.scalar_one()
    finally:
        await engines.close()
