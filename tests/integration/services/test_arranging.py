"""What can be changed about a session: once under its key, told to other tabs, beside a running answer."""

import asyncio
from typing import Any

import pytest

from assistant.domain.errors import InvalidInput, KeyReused, NotFound, RequestWithdrawn
from assistant.domain.session import Session, SessionState
from assistant.domain.task import TaskReason
from assistant.services.arranging import MAX_TITLE_CHARACTERS, Arrangement, wish_to_arrange
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant

LONG_SECONDS = 10.0


async def arrange(assistant: Assistant, session_id: str, key: str | None = None, **given: Any) -> Session:
    arrangement = Arrangement(**given)
    wish = wish_to_arrange(key, session_id, arrangement)
    return await assistant.services.arranging.arrange(OWNER, session_id, arrangement, wish)


async def listed(assistant: Assistant, state: SessionState = SessionState.ACTIVE) -> list[str]:
    return [found.id for found in await assistant.services.restoring.sessions(OWNER, state=state)]


async def session_of(assistant: Assistant, session_id: str) -> Session:
    return (await assistant.services.restoring.snapshot(OWNER, session_id)).session


async def test_a_session_is_renamed_and_configured_and_keeps_its_place(anywhere: Assistant) -> None:
    first, second = await anywhere.answered("One"), await anywhere.answered("Two")

    renamed = await arrange(
        anywhere, first.session_id, title="  Größe \n 👩‍💻 ", model="other", parameters={"top_p": 1}
    )

    assert renamed == await session_of(anywhere, first.session_id)
    assert (renamed.title, renamed.model, renamed.parameters) == ("Größe 👩‍💻", "other", {"top_p": 1})
    assert await listed(anywhere) == [second.session_id, first.session_id]
    again = await arrange(anywhere, first.session_id, title="Only this")
    assert (again.title, again.model, again.parameters) == ("Only this", "other", {"top_p": 1})


@pytest.mark.parametrize("title", ["", " \n ", "\u200b", "x" * (MAX_TITLE_CHARACTERS + 1)])
async def test_a_title_that_is_none_is_refused(assistant: Assistant, title: str) -> None:
    sent = await assistant.answered("Kept")
    with pytest.raises(InvalidInput):
        await arrange(assistant, sent.session_id, title=title, state=SessionState.ARCHIVED)
    session = await session_of(assistant, sent.session_id)
    assert (session.title, session.state) == ("Kept", SessionState.ACTIVE)


async def test_what_cannot_be_is_refused_and_nothing_of_it_is_done(assistant: Assistant) -> None:
    sent, other = await assistant.answered("Kept"), await assistant.answered()
    theirs = await assistant.send(owner="grace")
    refused: list[tuple[type[Exception], dict[str, Any]]] = [
        (InvalidInput, {"model": "unheard of"}),
        (InvalidInput, {"state": SessionState.DELETED}),
        (NotFound, {"leaf_id": "nowhere"}),
        (NotFound, {"leaf_id": other.message_id}),
        (NotFound, {"leaf_id": theirs.message_id}),
    ]
    before = await session_of(assistant, sent.session_id)
    for error, given in refused:
        with pytest.raises(error):
            await arrange(assistant, sent.session_id, "k", title="Changed", **given)
    for session_id in ("nowhere", theirs.session_id):
        with pytest.raises(NotFound):
            await arrange(assistant, session_id, "k", title="Changed")
    assert await session_of(assistant, sent.session_id) == before
    assert await assistant.send(key="k"), "the key is still free"


async def test_an_archived_session_is_out_of_the_list_until_a_send_or_a_wish(anywhere: Assistant) -> None:
    sent = await anywhere.answered()
    for back in (
        lambda: arrange(anywhere, sent.session_id, state=SessionState.ACTIVE),
        lambda: anywhere.answered("More", session_id=sent.session_id),
        lambda: anywhere.answered("Edited", edits=sent.message_id),
        lambda: anywhere.services.retrying.retry(OWNER, sent.task_id),
    ):
        for _ in range(2):
            archived = await arrange(anywhere, sent.session_id, state=SessionState.ARCHIVED)
            assert archived.state is SessionState.ARCHIVED
        assert await listed(anywhere) == []
        assert await listed(anywhere, SessionState.ARCHIVED) == [sent.session_id]
        assert await anywhere.messages(sent.session_id)

        await back()

        assert await listed(anywhere) == [sent.session_id]


async def test_the_same_wish_is_carried_out_once(anywhere: Assistant) -> None:
    sent = await anywhere.answered()
    await asyncio.gather(*(arrange(anywhere, sent.session_id, "k", title="One") for _ in range(10)))
    version = (await session_of(anywhere, sent.session_id)).version
    await arrange(anywhere, sent.session_id, title="Two")

    again = await arrange(anywhere, sent.session_id, "k", title="One")

    assert (again.title, again.version) == ("Two", version + 1)
    with pytest.raises(KeyReused):
        await arrange(anywhere, sent.session_id, "k", title="Three")
    await anywhere.services.wishes.withdraw(OWNER, "w")
    with pytest.raises(RequestWithdrawn):
        await arrange(anywhere, sent.session_id, "w", title="Three")


async def test_another_tab_is_told(assistant: Assistant) -> None:
    sent = await assistant.answered()
    version = (await session_of(assistant, sent.session_id)).version

    async with assistant.services.watching.open(OWNER, sent.session_id, version, []) as watch:
        await arrange(assistant, sent.session_id, title="Told", leaf_id=sent.message_id)
        news = await watch.news(within=LONG_SECONDS)

    assert news.changes is not None
    assert news.changes.session is not None
    assert (news.changes.session.title, news.changes.session.leaf_id) == ("Told", sent.answer_id)


async def test_another_branch_is_shown_while_an_answer_is_written(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """The running answer is told its own ancestors, goes on to its end, and moves nobody's view back."""
    for text in ("A1", "A2"):
        provider.say(text)
    first = await anywhere.answered("Q1")
    second = await anywhere.answered("Q2", session_id=first.session_id)
    script = provider.script().say("Half").hold().say(" and half.")
    edited = await anywhere.send("Q2 edited", edits=second.message_id)
    await anywhere.follow(edited.task_id).shows("Half")

    await anywhere.show(first.session_id, second.message_id)
    snapshot = await anywhere.services.restoring.snapshot(OWNER, first.session_id)
    script.release()
    ended = await anywhere.ended(edited.task_id)

    assert snapshot.session.leaf_id == second.answer_id
    assert [task.id for task in snapshot.tasks] == [edited.task_id]
    assert ended.reason is TaskReason.COMPLETE
    assert await anywhere.stored(edited.task_id) == "Half and half."
    assert await anywhere.shown(first.session_id) == ["Q1", "A1", "Q2", "A2"]
    assert [turn["content"] for turn in provider.calls[-1].body["messages"]] == ["Q1", "A1", "Q2 edited"]


async def test_a_task_that_is_claimed_after_another_branch_was_shown_has_its_own_context(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    for text in ("A1", "A2", "A2 edited"):
        provider.say(text)
    first = await assistant.answered("Q1")
    second = await assistant.answered("Q2", session_id=first.session_id)
    edited = await assistant.send("Q2 edited", edits=second.message_id, delivered=False)
    await assistant.show(first.session_id, second.message_id)

    await assistant.services.queue.enqueue(edited.task_id, 0)
    await assistant.ended(edited.task_id)

    assert [turn["content"] for turn in provider.calls[-1].body["messages"]] == ["Q1", "A1", "Q2 edited"]


async def test_the_way_back_ends_where_a_branch_was_left_and_the_next_message_goes_there(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    for text in ("A1", "A2", "A2 edited", "B1", "B2", "A3"):
        provider.say(text)
    first = await assistant.answered("Q1")
    second = await assistant.answered("Q2", session_id=first.session_id)
    await assistant.answered("Q2 edited", edits=second.message_id)
    await assistant.show(first.session_id, second.message_id)
    edited = await assistant.answered("P1", edits=first.message_id)
    await assistant.answered("P2", session_id=first.session_id)
    await assistant.show(first.session_id, first.message_id)
    assert await assistant.shown(first.session_id) == ["Q1", "A1", "Q2", "A2"]

    await assistant.answered("Q3", session_id=first.session_id)

    assert await assistant.shown(first.session_id) == ["Q1", "A1", "Q2", "A2", "Q3", "A3"]
    await assistant.show(first.session_id, edited.message_id)
    assert await assistant.shown(first.session_id) == ["P1", "B1", "P2", "B2"]
