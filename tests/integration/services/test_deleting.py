"""A deletion: gone for everybody at once, whatever ran in it is stopped, and back while there is time."""

import asyncio
from datetime import timedelta

import pytest

from assistant.domain.errors import KeyReused, NotFound, RequestWithdrawn
from assistant.domain.records import WishKind
from assistant.domain.session import SessionState
from assistant.domain.task import TaskReason
from assistant.services.deleting import UNDO_SECONDS, Deleted
from assistant.services.watching import Watch
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, task_wish

LONG_SECONDS = 10.0


async def delete(
    assistant: Assistant, session_id: str, key: str | None = None, owner: str = OWNER
) -> Deleted:
    wish = None if key is None else task_wish(WishKind.DELETE, key, session_id)
    return await assistant.services.deleting.delete(owner, session_id, wish)


async def test_a_deleted_session_is_for_everybody_as_if_it_never_was(anywhere: Assistant) -> None:
    sent, other = await anywhere.answered("Gone"), await anywhere.answered("Kept")
    await anywhere.services.drafting.save(OWNER, sent.session_id, "typed", 1)

    await delete(anywhere, sent.session_id)

    services = anywhere.services
    assert [found.id for found in await services.restoring.sessions(OWNER)] == [other.session_id]
    assert await services.drafting.get(OWNER, sent.session_id) is None
    assert await services.restoring.ended(OWNER, [sent.answer_id]) == []
    for ask in (
        services.restoring.snapshot(OWNER, sent.session_id),
        services.restoring.changes(OWNER, sent.session_id, 0),
        services.following.task(OWNER, sent.task_id),
        services.stopping.stop(OWNER, sent.task_id),
        services.retrying.retry(OWNER, sent.task_id),
        services.drafting.save(OWNER, sent.session_id, "more", 2),
        services.deleting.delete(OWNER, sent.session_id),
        anywhere.show(sent.session_id, sent.message_id),
        anywhere.send("More", session_id=sent.session_id),
        anywhere.send("Edited", edits=sent.message_id),
    ):
        with pytest.raises(NotFound):
            await ask


async def test_what_runs_is_stopped_with_its_text_and_no_runner_goes_on(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B125."""
    script = provider.script().say("Half").hold().say(" and half.")
    sent = await anywhere.send()
    await anywhere.follow(sent.task_id).shows("Half")

    await delete(anywhere, sent.session_id)
    script.release()

    task = await anywhere.task(sent.task_id)
    assert (task.reason, task.worker) == (TaskReason.STOPPED, None)
    await anywhere.services.reconciling.run_pass()
    assert await anywhere.task(sent.task_id) == task
    assert await anywhere.stored(sent.task_id) == "Half"
    await anywhere.services.deleting.undo(OWNER, sent.session_id)
    assert await anywhere.shown(sent.session_id) == ["Hello?", "Half"]


async def test_a_task_that_nobody_took_yet_is_never_taken(
    quiet: Assistant, provider: ScriptedProvider
) -> None:
    sent = await quiet.send(delivered=False)

    await delete(quiet, sent.session_id)
    await quiet.services.queue.enqueue(sent.task_id, 0)
    for _ in range(3):
        await quiet.services.reconciling.run_pass()

    assert (await quiet.task(sent.task_id)).reason is TaskReason.STOPPED
    assert provider.calls == []


async def test_a_death_before_the_stop_is_complete_is_mended(
    quiet: Assistant, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.script().say("Half").hold()
    sent = await quiet.send()
    await quiet.follow(sent.task_id).shows("Half")

    async def dies(task: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(quiet.services.stopping, "complete", dies)
    with pytest.raises(asyncio.CancelledError):
        await delete(quiet, sent.session_id)
    monkeypatch.undo()

    assert not (await quiet.task(sent.task_id)).closed
    for _ in range(2):
        await quiet.services.reconciling.run_pass()
    assert (await quiet.task(sent.task_id)).reason is TaskReason.STOPPED
    assert await quiet.stored(sent.task_id) == "Half"


async def test_an_open_page_in_another_tab_is_told_that_the_session_is_gone(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B125: its watch, and a reader of the running answer."""
    provider.script().say("Half").hold()
    sent = await assistant.send()
    reader = assistant.follow(sent.task_id)
    await reader.shows("Half")
    snapshot = await assistant.services.restoring.snapshot(OWNER, sent.session_id)
    watching = assistant.services.watching

    async with watching.open(OWNER, sent.session_id, snapshot.session.version, []) as watch:
        await delete(assistant, sent.session_id)
        with pytest.raises(NotFound):
            await pulled_for_ever(watch)
    with pytest.raises(NotFound):
        await reader.ended()


async def pulled_for_ever(watch: Watch) -> None:
    while True:
        await watch.news(within=LONG_SECONDS)


async def test_a_deletion_is_taken_back_in_time(anywhere: Assistant) -> None:
    sent = await anywhere.answered()
    before = (await anywhere.services.restoring.snapshot(OWNER, sent.session_id)).session
    await delete(anywhere, sent.session_id)

    undone = await anywhere.services.deleting.undo(OWNER, sent.session_id)

    assert undone.state is SessionState.ACTIVE
    assert (undone.title, undone.leaf_id, undone.updated_at) == (
        before.title,
        before.leaf_id,
        before.updated_at,
    )
    assert undone.version == before.version + 2
    assert (
        await anywhere.services.deleting.undo(OWNER, sent.session_id)
        == (await anywhere.services.restoring.snapshot(OWNER, sent.session_id)).session
    )
    assert await anywhere.answered("More", session_id=sent.session_id)


async def test_only_the_owner_deletes_and_undoes(assistant: Assistant) -> None:
    sent = await assistant.answered()
    with pytest.raises(NotFound):
        await delete(assistant, sent.session_id, "k", owner="grace")
    await delete(assistant, sent.session_id)
    for owner, session_id in (("grace", sent.session_id), (OWNER, "nowhere")):
        with pytest.raises(NotFound):
            await assistant.services.deleting.undo(owner, session_id)
    assert await assistant.services.deleting.undo(OWNER, sent.session_id)


async def test_the_same_wish_gives_the_first_result_and_a_withdrawn_one_none(anywhere: Assistant) -> None:
    sent = await anywhere.answered()
    deleting = anywhere.services.deleting

    deleted = await asyncio.gather(*(delete(anywhere, sent.session_id, "d") for _ in range(10)))
    assert len(set(deleted)) == 1
    assert deleted[0].session_id == sent.session_id
    in_time = deleted[0].undo_until - anywhere.services.clock.now()
    assert timedelta(0) < in_time <= timedelta(seconds=UNDO_SECONDS)

    wish = task_wish(WishKind.UNDO_DELETE, "u", sent.session_id)
    undone = await asyncio.gather(*(deleting.undo(OWNER, sent.session_id, wish) for _ in range(10)))
    assert len({session.version for session in undone}) == 1
    assert await delete(anywhere, sent.session_id, "d") == deleted[0]
    assert await anywhere.messages(sent.session_id), "a repeat of the deletion deletes nothing more"

    with pytest.raises(KeyReused):
        await delete(anywhere, sent.session_id, "u")
    await anywhere.services.wishes.withdraw(OWNER, "w")
    with pytest.raises(RequestWithdrawn):
        await delete(anywhere, sent.session_id, "w")
