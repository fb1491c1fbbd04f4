"""Another owner's ids answer exactly like ids that do not exist, and nothing is changed by the attempt."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing

import pytest

from assistant.domain.errors import NotFound
from assistant.domain.frames import Cursor
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import Assistant

STRANGER = "eve"
NOBODYS = "00000000-0000-7000-8000-000000000000"

Try = Callable[[Assistant, str, str, str], Awaitable[object]]


async def _read(assistant: Assistant, session: str, task: str, message: str) -> object:
    return await assistant.services.following.read(STRANGER, task, Cursor())


async def _task(assistant: Assistant, session: str, task: str, message: str) -> object:
    return await assistant.services.following.task(STRANGER, task)


async def _follow(assistant: Assistant, session: str, task: str, message: str) -> object:
    async with aclosing(assistant.services.following.follow(STRANGER, task, Cursor())) as happenings:
        return await anext(happenings)


async def _stop(assistant: Assistant, session: str, task: str, message: str) -> object:
    return await assistant.services.stopping.stop(STRANGER, task)


async def _retry(assistant: Assistant, session: str, task: str, message: str) -> object:
    return await assistant.services.retrying.retry(STRANGER, task)


async def _continue(assistant: Assistant, session: str, task: str, message: str) -> object:
    return await assistant.services.retrying.carry_on(STRANGER, task)


async def _send(assistant: Assistant, session: str, task: str, message: str) -> object:
    return await assistant.send("Let me in", session_id=session, owner=STRANGER)


async def _snapshot(assistant: Assistant, session: str, task: str, message: str) -> object:
    return await assistant.services.restoring.snapshot(STRANGER, session)


async def _changes(assistant: Assistant, session: str, task: str, message: str) -> object:
    return await assistant.services.restoring.changes(STRANGER, session, 0)


TRIES = (_read, _task, _follow, _stop, _retry, _continue, _send, _snapshot, _changes)


@pytest.mark.parametrize("attempted", TRIES, ids=lambda move: move.__name__.strip("_"))
async def test_a_stranger_is_told_what_is_told_of_an_unknown_id(
    assistant: Assistant, provider: ScriptedProvider, attempted: Try
) -> None:
    """Cases B185, B186, B187."""
    script = provider.script().say("Secret").hold().say(" kept")
    sent = await assistant.send("Hello?")
    await assistant.follow(sent.task_id).shows("Secret")
    before = (await assistant.unmoved(sent.task_id), await assistant.messages(sent.session_id))

    with pytest.raises(NotFound) as refused:
        await attempted(assistant, sent.session_id, sent.task_id, sent.message_id)
    with pytest.raises(NotFound) as unknown:
        await attempted(assistant, NOBODYS, NOBODYS, NOBODYS)

    assert str(refused.value) == str(unknown.value)
    assert refused.value.details == unknown.value.details
    assert (await assistant.unmoved(sent.task_id), await assistant.messages(sent.session_id)) == before
    script.release()
    await assistant.ended(sent.task_id)
    assert await assistant.stored(sent.task_id) == "Secret kept"


async def test_a_strangers_message_is_no_anchor_of_a_page(assistant: Assistant) -> None:
    """Case B185."""
    sent = await assistant.answered("Hello?")
    mine = await assistant.send("Mine", owner=STRANGER)

    with pytest.raises(NotFound):
        await assistant.services.restoring.snapshot(STRANGER, mine.session_id, before=sent.message_id)


async def test_keys_of_two_owners_do_not_meet(assistant: Assistant) -> None:
    """Case B186."""
    first = await assistant.send("Hello?", key="k")
    second = await assistant.send("Another text", key="k", owner=STRANGER)

    assert first.session_id != second.session_id
    result = (await assistant.services.wishes.ask(STRANGER, "k")).result
    assert result is not None
    assert result["task_id"] == second.task_id


async def test_sessions_are_listed_to_their_owner_alone(assistant: Assistant) -> None:
    """Case B189."""
    sent = await assistant.send("Hello?")

    assert [session.id for session in await assistant.services.restoring.sessions("ada")] == [sent.session_id]
    assert await assistant.services.restoring.sessions(STRANGER) == []
