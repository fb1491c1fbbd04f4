"""An edit is a send beside the message that it edits: a sibling with an answer of its own."""

import asyncio

import pytest
from sqlalchemy import update

from assistant.domain.errors import InvalidInput, KeyReused, NotFound, RequestWithdrawn, SessionBusy
from assistant.storage.schema import messages
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant


async def test_an_edited_message_becomes_a_sibling_and_its_branch_is_shown(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    for text in ("A1", "A2", "A2 again"):
        provider.say(text)
    first = await anywhere.answered("Q1")
    second = await anywhere.answered("Q2", session_id=first.session_id)

    edited = await anywhere.answered("Q2 edited", edits=second.message_id)

    assert edited.session_id == first.session_id
    assert await anywhere.shown(first.session_id) == ["Q1", "A1", "Q2 edited", "A2 again"]
    question = (await anywhere.messages(first.session_id))[2]
    assert question.parent_id == first.answer_id
    assert question.siblings == (second.message_id, edited.message_id)
    session = await anywhere.show(first.session_id, second.message_id)
    assert session.leaf_id == second.answer_id
    assert await anywhere.shown(first.session_id) == ["Q1", "A1", "Q2", "A2"]


async def test_the_provider_is_told_the_edited_branch_and_nothing_of_the_other(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    for text in ("A1", "A2", "A2 again"):
        provider.say(text)
    first = await assistant.answered("Q1")
    second = await assistant.answered("Q2", session_id=first.session_id)

    await assistant.answered("Q2 edited", edits=second.message_id)

    assert [turn["content"] for turn in provider.calls[-1].body["messages"]] == ["Q1", "A1", "Q2 edited"]


async def test_the_very_first_message_can_be_edited(assistant: Assistant, provider: ScriptedProvider) -> None:
    for text in ("A1", "A2", "A1 again"):
        provider.say(text)
    first = await assistant.answered("Q1")
    await assistant.answered("Q2", session_id=first.session_id)

    edited = await assistant.answered("Q1 edited", session_id=first.session_id, edits=first.message_id)

    question = (await assistant.messages(first.session_id))[0]
    assert (question.id, question.parent_id) == (edited.message_id, None)
    assert question.siblings == (first.message_id, edited.message_id)
    assert await assistant.shown(first.session_id) == ["Q1 edited", "A1 again"]
    await assistant.show(first.session_id, first.message_id)
    assert await assistant.shown(first.session_id) == ["Q1", "A1", "Q2", "A2"]


async def test_twenty_edits_under_one_key_at_once_are_one_edit(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    sent = await anywhere.answered("Q1")

    edits = await asyncio.gather(
        *(anywhere.send("Q1 edited", edits=sent.message_id, key="e") for _ in range(20))
    )
    await anywhere.ended(edits[0].task_id)

    assert len(set(edits)) == 1
    assert len(provider.calls) == 2
    assert (await anywhere.messages(sent.session_id))[0].siblings == (sent.message_id, edits[0].message_id)
    with pytest.raises(KeyReused):
        await anywhere.send("Q1 edited", session_id=sent.session_id, key="e")


async def test_what_is_not_a_message_of_ones_own_is_not_found(assistant: Assistant) -> None:
    theirs = await assistant.send(owner="grace")
    mine, other = await assistant.answered(), await assistant.answered()
    unknown = [("nowhere", None), (theirs.message_id, None), (mine.message_id, other.session_id)]
    for edits, session_id in unknown:
        with pytest.raises(NotFound):
            await assistant.send("edited", edits=edits, session_id=session_id, key="e")
    with pytest.raises(InvalidInput, match="answer"):
        await assistant.send("edited", edits=mine.answer_id, key="e")

    assert await assistant.send("the key is still free", key="e")


async def test_an_edit_waits_its_turn_and_can_be_withdrawn(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    sent = await assistant.answered("Q1")
    script = provider.script().say("Wait").hold()
    busy = await assistant.send("Q2", session_id=sent.session_id)
    with pytest.raises(SessionBusy):
        await assistant.send("Q1 edited", edits=sent.message_id, key="e")
    await script.held()
    script.release()
    await assistant.ended(busy.task_id)

    await assistant.services.wishes.withdraw(OWNER, "e")
    with pytest.raises(RequestWithdrawn):
        await assistant.send("Q1 edited", edits=sent.message_id, key="e")
    assert (await assistant.messages(sent.session_id))[0].siblings == (sent.message_id,)


async def test_an_edit_of_a_message_whose_parent_is_broken_stands_beside_it(assistant: Assistant) -> None:
    """Case B059: the walk ends there as it does for the message itself."""
    first = await assistant.answered("Q1")
    second = await assistant.answered("Q2", session_id=first.session_id)
    cycle = update(messages).where(messages.c.id == second.message_id).values(parent_id=second.answer_id)
    await assistant.change(cycle)

    edited = await assistant.answered("Q2 edited", edits=second.message_id)

    shown = await assistant.messages(first.session_id)
    assert [message.id for message in shown][-2:] == [edited.message_id, edited.answer_id]
