"""After a failure or a stop a queue waits for the user, and goes on at the user's word (Case B110)."""

import pytest

from assistant.domain.errors import KeyReused, NotFound, NothingQueued, SessionBusy
from assistant.domain.records import KeyState, WishKind
from assistant.services.deleting import Deleting
from assistant.services.turns import Sent
from tests.integration.services.queues import accepted, queue_of, waiting
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant, task_wish


async def paused(assistant: Assistant, provider: ScriptedProvider, *texts: str) -> Sent:
    """A session whose answer failed while these messages waited."""
    script = provider.script().hold().fail(400)
    sent = await assistant.send("one")
    await script.held()
    for text in texts:
        await assistant.queue(text, sent.session_id)
    script.release()
    await assistant.ended(sent.task_id)
    return sent


async def pauses(assistant: Assistant, session_id: str) -> bool:
    """Nothing of the queue is sent, whoever tries; and everybody is told so."""
    assert await assistant.services.queueing.advance(session_id) is None
    assert await assistant.services.queueing.advance_ready() == 0
    found = await queue_of(assistant, session_id)
    return bool(found) and all(each.paused for each in found)


async def test_a_failure_pauses_the_queue_until_the_user_sends_it_on(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B110."""
    sent = await paused(anywhere, provider, "two", "three")
    assert await pauses(anywhere, sent.session_id)

    released = await anywhere.services.queueing.release(OWNER, sent.session_id)

    assert await accepted(anywhere, "two") == released
    await anywhere.ended((await accepted(anywhere, "three")).task_id)
    assert (await anywhere.shown(sent.session_id))[0::2] == ["one", "two", "three"]


async def test_a_stop_pauses_the_queue_and_another_branch_does_not_start_it(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B110: the branch that is looked at then ended well, but not last."""
    first = await anywhere.answered("one")
    edited = await anywhere.answered("one, edited", edits=first.message_id)
    script = provider.script().say("Half").hold()
    running = await anywhere.send("two", session_id=first.session_id)
    await script.held()
    await anywhere.queue("three", first.session_id)

    await anywhere.services.stopping.stop(OWNER, running.task_id)
    assert await pauses(anywhere, first.session_id)
    await anywhere.show(first.session_id, first.answer_id)
    assert await pauses(anywhere, first.session_id)
    assert edited.session_id == first.session_id


@pytest.mark.parametrize("wish", ["send", "edit", "retry"])
async def test_what_the_user_does_meanwhile_goes_first_and_the_queue_follows_its_good_end(
    assistant: Assistant, provider: ScriptedProvider, wish: str
) -> None:
    """Case B110."""
    sent = await paused(assistant, provider, "waits")
    script = provider.script().hold().say("Better.")
    if wish == "retry":
        task_id = (await assistant.services.retrying.retry(OWNER, sent.task_id)).id
        expected = ["one", "waits"]
    elif wish == "edit":
        task_id = (await assistant.send("better", edits=sent.message_id)).task_id
        expected = ["better", "waits"]
    else:
        task_id = (await assistant.send("first", session_id=sent.session_id)).task_id
        expected = ["one", "first", "waits"]
    await script.held()
    assert await waiting(assistant, sent.session_id) == [("waits", False)]
    script.release()
    await assistant.ended(task_id)

    await assistant.ended((await accepted(assistant, "waits")).task_id)

    assert (await assistant.shown(sent.session_id))[0::2] == expected


async def test_a_message_queued_behind_a_paused_queue_waits_at_its_end(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    sent = await paused(assistant, provider, "two")
    await assistant.queue("three", sent.session_id)
    assert await waiting(assistant, sent.session_id) == [("two", True), ("three", True)]


async def test_a_release_under_one_key_sends_one_message(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """A repeat gives the first result, and another wish of another tab finds the session busy."""
    sent = await paused(anywhere, provider, "two", "three")
    script = provider.script().hold().fail(400)
    release = anywhere.services.queueing.release
    wish = task_wish(WishKind.RELEASE, "go on", sent.session_id)

    released = await release(OWNER, sent.session_id, wish)
    await script.held()
    with pytest.raises(SessionBusy):
        await release(OWNER, sent.session_id, task_wish(WishKind.RELEASE, "other tab", sent.session_id))
    script.release()
    await anywhere.ended(released.task_id)

    assert await release(OWNER, sent.session_id, wish) == released
    assert await waiting(anywhere, sent.session_id) == [("three", True)]
    with pytest.raises(KeyReused):
        await release(OWNER, sent.session_id, task_wish(WishKind.RELEASE, "go on", "another"))


async def test_where_nothing_waits_nothing_is_released(assistant: Assistant) -> None:
    sent = await assistant.answered("one")
    with pytest.raises(NothingQueued):
        await assistant.services.queueing.release(OWNER, sent.session_id)
    with pytest.raises(NotFound):
        await assistant.services.queueing.release(OWNER, "nowhere")


async def test_a_deleted_sessions_queue_is_back_with_it_and_goes_with_it(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B125: what ran was stopped by the deletion, so the queue is paused after an undo."""
    services = anywhere.services
    script = provider.script().hold()
    sent = await anywhere.send("one")
    await script.held()
    await anywhere.queue("two", sent.session_id)

    await services.deleting.delete(OWNER, sent.session_id)
    with pytest.raises(NotFound):
        await services.queueing.release(OWNER, sent.session_id)
    await services.deleting.undo(OWNER, sent.session_id)
    assert await pauses(anywhere, sent.session_id)

    at_once = Deleting(services.store, services.stopping, services.wishes, services.clock, undo_seconds=0)
    await at_once.delete(OWNER, sent.session_id)
    assert await at_once.remove_expired() == 1
    record = await services.wishes.ask(OWNER, "two")
    assert (record.state, record.result) == (KeyState.WITHDRAWN, None)
