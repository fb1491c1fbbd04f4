"""Another text for a message that waits: at its place, under its key, and never twice."""

import asyncio
import random
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from assistant.domain.errors import (
    InvalidInput,
    KeyReused,
    NotFound,
    QueueFull,
    RequestAccepted,
    RequestEdited,
    RequestWithdrawn,
)
from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.records import KeyRecord, KeyState, WishKind
from assistant.services import queueing as module
from assistant.services.queueing import Rewriting, Waiting, wish_to_rewrite
from assistant.services.turns import Sent
from assistant.settings import Settings
from tests.integration.services.queues import accepted, queue_of, waiting
from tests.support.llm_script import Script
from tests.support.llm_server import ScriptedProvider
from tests.support.local_provider import DONE, LocalProvider, said, turns
from tests.support.opened import OWNER, Assistant, as_killed, opened, task_wish

ROUNDS = 60


async def rewrite(
    assistant: Assistant, key: str, text: str, *, replaces: str | None = None, own_key: str | None = None
) -> KeyRecord:
    wanted = Rewriting(key, text, replaces)
    return await assistant.services.queueing.rewrite(OWNER, wanted, wish_to_rewrite(own_key, wanted))


async def busy(assistant: Assistant, provider: ScriptedProvider, *texts: str) -> tuple[Sent, Script]:
    """A session in which an answer is being written and these messages wait, under their texts as keys."""
    script = provider.script().hold()
    sent = await assistant.send("one")
    await script.held()
    for text in texts:
        await assistant.queue(text, sent.session_id)
    return sent, script


async def test_the_other_text_is_sent_at_the_place_and_under_the_key_of_the_first(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B108."""
    sent, script = await busy(anywhere, provider, "two", "three", "four")
    before = await anywhere.services.restoring.snapshot(OWNER, sent.session_id)

    for _ in range(2):
        record = await rewrite(anywhere, "three", "drei")
        assert (record.state, record.result) == (KeyState.QUEUED, {"session_id": sent.session_id})

    changes = await anywhere.services.restoring.changes(OWNER, sent.session_id, before.session.version)
    assert [(each.key, each.text, each.position) for each in changes.queued] == [
        ("two", "two", 1),
        ("three", "drei", 2),
        ("four", "four", 3),
    ]
    script.release()
    await anywhere.ended((await accepted(anywhere, "four")).task_id)
    questions = (await anywhere.messages(sent.session_id))[0::2]
    assert [each.text for each in questions] == ["one", "two", "drei", "four"]
    assert questions[2].client_id == "three"


async def test_a_repeat_of_the_send_is_answered_as_before_whatever_was_edited(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B102: the reply to the send was lost, and the message was edited on another device."""
    sent, script = await busy(anywhere, provider, "two")
    await rewrite(anywhere, "two", "zwei")

    assert await anywhere.queue("two", sent.session_id) == Waiting(sent.session_id)
    assert await waiting(anywhere, sent.session_id) == [("zwei", False)]
    with pytest.raises(KeyReused):
        await anywhere.queue("zwei", sent.session_id, key="two")
    script.release()
    turn = await accepted(anywhere, "two")

    assert await anywhere.queue("two", sent.session_id) == turn
    await anywhere.ended(turn.task_id)
    assert (await anywhere.shown(sent.session_id))[0::2] == ["one", "zwei"]


async def test_what_was_sent_is_not_edited_and_the_refusal_says_what_came_of_it(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    sent, script = await busy(anywhere, provider, "two")
    await rewrite(anywhere, "two", "zwei")
    script.release()
    turn = await accepted(anywhere, "two")

    with pytest.raises(RequestAccepted) as refused:
        await rewrite(anywhere, "two", "deux")
    assert refused.value.details["result"]["task_id"] == turn.task_id
    again = await rewrite(anywhere, "two", "zwei", replaces="two")
    assert (again.state, (again.result or {})["task_id"]) == (KeyState.ACCEPTED, turn.task_id)
    await anywhere.ended(turn.task_id)
    assert (await anywhere.shown(sent.session_id))[0::2] == ["one", "zwei"]


async def test_of_two_who_edit_the_same_text_the_first_wins_and_the_second_is_told(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    sent, script = await busy(anywhere, provider, "two")
    await rewrite(anywhere, "two", "zwei", replaces="two")

    with pytest.raises(RequestEdited) as refused:
        await rewrite(anywhere, "two", "deux", replaces="two")
    assert refused.value.details == {"text": "zwei"}
    await rewrite(anywhere, "two", "zwei", replaces="two")
    assert await waiting(anywhere, sent.session_id) == [("zwei", False)]
    await rewrite(anywhere, "two", "deux", replaces="zwei")
    assert await waiting(anywhere, sent.session_id) == [("deux", False)]
    script.release()


async def test_under_a_key_of_its_own_it_is_done_once_or_withdrawn(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """The page takes back an edit whose reply does not come, so that it cannot arrive late."""
    sent, script = await busy(anywhere, provider, "two")
    for _ in range(2):
        await rewrite(anywhere, "two", "zwei", own_key="edit")
    await rewrite(anywhere, "two", "deux")
    await rewrite(anywhere, "two", "zwei", own_key="edit")
    with pytest.raises(KeyReused):
        await rewrite(anywhere, "two", "drei", own_key="edit")
    with pytest.raises(RequestAccepted):
        await anywhere.services.wishes.withdraw(OWNER, "edit")
    await anywhere.services.wishes.withdraw(OWNER, "late")
    with pytest.raises(RequestWithdrawn):
        await rewrite(anywhere, "two", "drei", own_key="late")
    assert await waiting(anywhere, sent.session_id) == [("deux", False)]
    script.release()


async def test_what_was_taken_out_or_never_waited_is_not_edited(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    sent, script = await busy(assistant, provider, "two", "three")
    await assistant.services.wishes.withdraw(OWNER, "two")
    with pytest.raises(RequestWithdrawn):
        await rewrite(assistant, "two", "zwei")
    with pytest.raises(NotFound):
        await rewrite(assistant, "nothing", "zwei")
    with pytest.raises(NotFound):
        await assistant.services.queueing.rewrite("eve", Rewriting("three", "theirs"))
    await assistant.services.stopping.stop(
        OWNER, sent.task_id, task_wish(WishKind.STOP, "stop", sent.task_id)
    )
    with pytest.raises(NotFound):
        await rewrite(assistant, "stop", "zwei")
    await assistant.services.deleting.delete(OWNER, sent.session_id)
    with pytest.raises(NotFound):
        await rewrite(assistant, "three", "drei")
    script.release()


async def test_the_other_text_has_the_bounds_of_a_message(
    assistant: Assistant, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, script = await busy(assistant, provider, "two", "three")
    monkeypatch.setattr(module, "MAX_QUEUED_CHARACTERS", 20)
    with pytest.raises(InvalidInput):
        await rewrite(assistant, "two", " ")
    with pytest.raises(QueueFull):
        await rewrite(assistant, "two", "x" * 16)
    await rewrite(assistant, "two", "x" * 15)
    assert [each.text for each in await queue_of(assistant, sent.session_id)] == ["x" * 15, "three"]
    script.release()


async def test_an_edit_survives_the_death_of_the_process(
    settings: Settings, tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Case B108."""
    async with opened(settings) as assistant:
        sent, script = await busy(assistant, provider, "two")
        await rewrite(assistant, "two", "zwei")
        killed = as_killed(settings, tmp_path / "killed")
        script.release()
    async with opened(killed) as assistant:
        await assistant.ended((await accepted(assistant, "two")).task_id)
        assert (await assistant.shown(sent.session_id))[0::2] == ["one", "zwei"]


async def test_of_an_edit_and_its_messages_turn_one_wins_and_the_other_is_told(settings: Settings) -> None:
    """Case B108: what is sent is the text that the edit left, once; a refused edit changed nothing."""
    chance = random.Random(12)
    gate = asyncio.Event()

    async def answer(request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        yield said("Yes.")
        if request.turns[-1].text == "one":
            await gate.wait()
        yield DONE

    wins = {"one, two": 0, "one, zwei": 0}
    async with opened(settings, providers=LocalProvider(answer)) as assistant:
        for number in range(ROUNDS):
            gate.clear()
            sent = await assistant.send("one")
            await assistant.queue("two", sent.session_id, key=f"k{number}")
            gate.set()
            await turns(chance.randrange(1500))
            try:
                await rewrite(assistant, f"k{number}", "zwei", replaces="two")
                expected = "one, zwei"
            except RequestAccepted:
                expected = "one, two"
            await assistant.ended((await accepted(assistant, f"k{number}")).task_id)
            assert ", ".join((await assistant.shown(sent.session_id))[0::2]) == expected
            wins[expected] += 1
    assert min(wins.values()) > 3, "the race has two possible ends"
