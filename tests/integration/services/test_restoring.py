"""Restore: one consistent picture of a session, the same however often and whenever it is taken."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from assistant.domain.errors import NotFound
from assistant.domain.message import Role
from assistant.domain.task import TaskState
from assistant.services.restoring import MOST_FOLLOWED, Snapshot, Stretch
from assistant.settings import Settings
from assistant.storage.schema import messages, sessions
from tests.support.llm_server import ScriptedProvider
from tests.support.long_sessions import long_session, message_id
from tests.support.opened import OWNER, Assistant


async def test_an_unfinished_answer_is_restored_with_its_text_so_far_and_its_task(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B001, B004, B008, B011."""
    script = provider.script().say("So far").hold().say(", so good.")
    sent = await anywhere.send("How is it?")
    await anywhere.follow(sent.task_id).shows("So far")

    snapshot = await anywhere.services.restoring.snapshot(OWNER, sent.session_id)

    assert [(message.role, message.text) for message in snapshot.messages] == [
        (Role.USER, "How is it?"),
        (Role.ASSISTANT, "So far"),
    ]
    assert snapshot.messages[1].task_id == sent.task_id
    assert [(task.id, task.state) for task in snapshot.tasks] == [(sent.task_id, TaskState.STREAMING)]
    assert len(snapshot.folds[sent.task_id].transcript) == len("So far")
    script.release()
    await anywhere.ended(sent.task_id)
    after = await anywhere.services.restoring.snapshot(OWNER, sent.session_id)
    assert (after.tasks, after.messages[1].text) == ((), "So far, so good.")


async def test_restoring_twenty_times_changes_nothing(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B098, B149, B150, B169: same order, same times, no call, no version."""
    sent = await assistant.answered("One")
    for word in ("Two", "Three"):
        await assistant.answered(word, session_id=sent.session_id)
    first = await assistant.services.restoring.snapshot(OWNER, sent.session_id)

    for _ in range(20):
        assert await assistant.services.restoring.snapshot(OWNER, sent.session_id) == first

    assert len(provider.calls) == 3
    assert [message.position for message in first.messages] == sorted(
        {message.position for message in first.messages}
    )


async def test_turns_of_one_millisecond_keep_their_order(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B150: twenty turns, read twenty times."""
    moment = assistant.services.clock.now()
    monkeypatch.setattr(assistant.services.clock, "now", lambda: moment)
    sent = await assistant.answered("0")
    for number in range(1, 20):
        await assistant.answered(str(number), session_id=sent.session_id)

    for _ in range(20):
        messages = (await assistant.services.restoring.snapshot(OWNER, sent.session_id)).messages
        assert {message.created_at for message in messages} == {moment}
        questions = [message.text for message in messages if message.role is Role.USER]
        assert questions == [str(number) for number in range(20)]


async def test_order_does_not_depend_on_the_clock(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B151: the clock goes back an hour between two turns."""
    sent = await assistant.answered("First")
    earlier = assistant.services.clock.now() - timedelta(hours=1)
    monkeypatch.setattr(assistant.services.clock, "now", lambda: earlier)
    await assistant.answered("Second", session_id=sent.session_id)

    questions = [
        message.text for message in await assistant.messages(sent.session_id) if message.role is Role.USER
    ]
    assert questions == ["First", "Second"]


async def test_pages_give_every_message_once(assistant: Assistant) -> None:
    """Case B175."""
    sent = await assistant.answered("1")
    for number in range(2, 6):
        await assistant.answered(str(number), session_id=sent.session_id)
    whole = (await assistant.services.restoring.snapshot(OWNER, sent.session_id)).messages

    pages, before = [], None
    while True:
        page = await assistant.services.restoring.snapshot(OWNER, sent.session_id, limit=3, before=before)
        pages.insert(0, page.messages)
        if not page.has_older:
            break
        before = page.messages[0].id

    assert [len(page) for page in pages] == [1, 3, 3, 3]
    assert [message for page in pages for message in page] == list(whole)
    first = await assistant.services.restoring.snapshot(OWNER, sent.session_id, before=whole[0].id)
    assert (first.messages, first.has_older) == ((), False)


async def test_a_stretch_is_restored_as_it_stood(assistant: Assistant) -> None:
    """Case B175: one that stood at the end goes on to the end, another one does not."""
    restoring = assistant.services.restoring
    sent = await assistant.answered("1")
    sid = sent.session_id
    for number in range(2, 6):
        await assistant.answered(str(number), session_id=sid)
    ids = [message.id for message in await assistant.messages(sid)]

    def stood(snapshot: Snapshot) -> tuple[list[str], bool, bool]:
        return [message.id for message in snapshot.messages], snapshot.has_older, snapshot.has_newer

    middle, at_end = Stretch(ids[2], ids[5], ids[-1]), Stretch(ids[6], ids[-1], ids[-1])
    assert stood(await restoring.snapshot(OWNER, sid, stretch=middle)) == (ids[2:6], True, True)
    assert stood(await restoring.snapshot(OWNER, sid, stretch=at_end)) == (ids[6:], True, False)
    assert stood(await restoring.snapshot(OWNER, sid, after=ids[5], limit=2)) == (ids[6:8], True, True)
    assert stood(await restoring.snapshot(OWNER, sid, after=ids[5])) == (ids[6:], True, False)

    more = await assistant.answered("6", session_id=sid)
    ids += [more.message_id, more.answer_id]
    assert stood(await restoring.snapshot(OWNER, sid, stretch=middle)) == (ids[2:6], True, True)
    assert stood(await restoring.snapshot(OWNER, sid, stretch=at_end)) == (ids[6:], True, False)

    assert stood(await restoring.snapshot(OWNER, sid, after=ids[5], stretch=middle, limit=1)) == (
        ids[6:7],
        True,
        True,
    )
    assert stood(await restoring.snapshot(OWNER, sid, before=ids[2], stretch=middle, limit=1)) == (
        ids[1:2],
        True,
        True,
    )

    # On another branch the newest are shown.
    await assistant.change(update(sessions).where(sessions.c.id == sid).values(leaf_id=ids[3]))
    await assistant.answered("Other", session_id=sid)
    shown = stood(await restoring.snapshot(OWNER, sid))
    for limit in (1, 10):
        with pytest.raises(NotFound):
            await restoring.snapshot(OWNER, sid, after=ids[5], stretch=middle, limit=limit)
        with pytest.raises(NotFound):
            await restoring.snapshot(OWNER, sid, before=ids[2], stretch=middle, limit=limit)
    above = Stretch(ids[0], ids[2], ids[-1])
    assert stood(await restoring.snapshot(OWNER, sid, after=ids[2], stretch=above, limit=1)) == (
        ids[3:4],
        True,
        True,
    )
    assert stood(await restoring.snapshot(OWNER, sid, stretch=middle)) == shown
    assert stood(await restoring.snapshot(OWNER, sid, stretch=Stretch("a", "b", "c"))) == shown


async def test_a_stretch_that_followed_is_restored_whole_and_one_that_grew_too_far_from_its_newest(
    assistant: Assistant, settings: Settings
) -> None:
    """Case B175: as much as a page shows that only follows, and no more."""
    sid, count = await long_session(settings.database_url, OWNER, 200), 200
    ids = [message_id(sid, number) for number in range(1, count + 1)]
    for first in (count - MOST_FOLLOWED, count - MOST_FOLLOWED - 20):
        page = await assistant.services.restoring.snapshot(
            OWNER, sid, stretch=Stretch(ids[first], ids[-1], ids[-1])
        )
        assert [message.id for message in page.messages] == ids[-MOST_FOLLOWED:]
        assert (page.has_older, page.has_newer) == (True, False)


@pytest.mark.parametrize(
    ("number", "shown", "more"),
    [(5, (1, 55), (False, True)), (150, (121, 200), (True, True)), (290, (251, 300), (True, False))],
)
async def test_a_message_is_had_with_what_stands_around_it_and_a_page_at_least(
    assistant: Assistant,
    settings: Settings,
    number: int,
    shown: tuple[int, int],
    more: tuple[bool, bool],
) -> None:
    sid = await long_session(settings.database_url, OWNER, 300)
    restoring = assistant.services.restoring
    page = await restoring.snapshot(OWNER, sid, around=message_id(sid, number))
    assert [message.id for message in page.messages] == [
        message_id(sid, each) for each in range(shown[0], shown[1] + 1)
    ]
    assert (page.has_older, page.has_newer) == more

    await assistant.change(
        update(sessions).where(sessions.c.id == sid).values(leaf_id=message_id(sid, number - 1))
    )
    with pytest.raises(NotFound):
        await restoring.snapshot(OWNER, sid, around=message_id(sid, number))


async def test_a_task_ten_thousand_messages_up_is_whole_and_goes_on(
    assistant: Assistant, settings: Settings, provider: ScriptedProvider
) -> None:
    """DESIGN 7: unfinished tasks are restored wherever they stand."""
    script = provider.script().say("Working").hold().say(" on.")
    sid = await long_session(settings.database_url, OWNER, 10_060, pending=60)
    answer, task_id = message_id(sid, 60), f"t{message_id(sid, 60)}"
    await assistant.follow(task_id).shows("Working")

    page = await assistant.services.restoring.snapshot(OWNER, sid)
    assert (len(page.branch), len(page.messages)) == (50, 51)
    assert (page.messages[0].id, page.messages[0].text) == (answer, "Working")
    assert [task.id for task in page.tasks] == [task_id]
    script.release()
    await assistant.ended(task_id)
    assert await assistant.stored(task_id) == "Working on."


async def test_an_unfinished_task_is_whole_wherever_its_answer_stands(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """DESIGN 7: here the page shows another branch, and then only the last message."""
    first = await assistant.answered("One")
    script = provider.script().say("Working").hold()
    second = await assistant.send("Two", session_id=first.session_id)
    await assistant.follow(second.task_id).shows("Working")
    await assistant.change(
        update(sessions).where(sessions.c.id == first.session_id).values(leaf_id=first.answer_id)
    )

    for limit in (50, 1):
        page = await assistant.services.restoring.snapshot(OWNER, first.session_id, limit=limit)
        assert page.messages[-1].id == second.answer_id
        assert page.messages[-1].text == "Working"
        assert [task.id for task in page.tasks] == [second.task_id]
    script.release()


async def test_changes_are_what_is_newer_than_a_version(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    first = await assistant.answered("One")
    known = await assistant.services.restoring.snapshot(OWNER, first.session_id)
    unchanged = await assistant.services.restoring.changes(OWNER, first.session_id, known.session.version)
    assert (unchanged.session, unchanged.messages, unchanged.tasks) == (None, (), ())

    script = provider.script().say("Half").hold().say(" and half")
    second = await assistant.send("Two", session_id=first.session_id)
    await assistant.follow(second.task_id).shows("Half")
    during = await assistant.services.restoring.changes(OWNER, first.session_id, known.session.version)
    assert [message.id for message in during.messages] == [second.message_id, second.answer_id]
    assert during.messages[1].text == "Half"
    assert [task.id for task in during.tasks] == [second.task_id]

    script.release()
    await assistant.ended(second.task_id)
    after = await assistant.services.restoring.changes(OWNER, first.session_id, during.version)
    assert [(message.id, message.text) for message in after.messages] == [(second.answer_id, "Half and half")]
    assert [(task.id, task.state) for task in after.tasks] == [(second.task_id, TaskState.DONE)]
    assert after.version > during.version > known.session.version


async def test_a_leaf_that_names_nothing_still_shows_everything_and_takes_the_next_message(
    assistant: Assistant,
) -> None:
    """Case B059."""
    sent = await assistant.answered("One")
    await assistant.change(update(sessions).values(leaf_id="nowhere"))

    shown = await assistant.messages(sent.session_id)
    assert [message.id for message in shown] == [sent.message_id, sent.answer_id]
    await assistant.answered("Two", session_id=sent.session_id)
    questions = [message.text for message in await assistant.messages(sent.session_id)][::2]
    assert questions == ["One", "Two"]


async def test_a_circle_of_parents_is_walked_out_of(assistant: Assistant) -> None:
    """Case B059."""
    sent = await assistant.answered("One")
    await assistant.change(
        update(messages).where(messages.c.id == sent.message_id).values(parent_id=sent.answer_id)
    )

    shown = await assistant.messages(sent.session_id)
    assert [message.id for message in shown] == [sent.message_id, sent.answer_id]
    assert await assistant.answered("Two", session_id=sent.session_id)


async def test_sessions_of_the_same_text_stay_apart(assistant: Assistant) -> None:
    """Case B107: identity is by id, never by text."""
    first = await assistant.answered("continue")
    for _ in range(2):
        await assistant.answered("continue", session_id=first.session_id)

    texts = [message.text for message in await assistant.messages(first.session_id)][::2]
    assert texts == ["continue"] * 3
