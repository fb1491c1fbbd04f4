"""The log is a copy in advance: lost in mid-run, or at the end, every reader still ends with the truth."""

import asyncio
from contextlib import aclosing

import pytest

from assistant.domain.frames import Cursor, Frame, Replace
from assistant.domain.log import Entry, Folded, Op, Position
from assistant.domain.store_ports import Store
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.transcript import PartKind, Transcript
from assistant.services.sending import Sent
from assistant.services.standing import Closed, GapSeen
from assistant.storage.store import SqlStore
from assistant.streams.hub import Rhythm
from tests.support.eventually import eventually
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant

QUICK = Rhythm(recheck=0.2)


async def test_a_log_lost_in_mid_run_costs_no_reader_a_character(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Case B141: a follower from before, one that comes after, and one that resumes."""
    script = provider.script().say("One, ").hold().say("two, ").hold().say("three.")
    sent = await anywhere.send()
    before = anywhere.follow(sent.task_id)
    await before.shows("One, ")

    await anywhere.lose_log(sent.task_id)
    after = anywhere.follow(sent.task_id)
    resumed = anywhere.follow(sent.task_id, before.cursor, before.shown)
    await asyncio.gather(after.told(), resumed.told())
    script.release()
    for reader in (before, after, resumed):
        await reader.shows("One, two, ")
    late = anywhere.follow(sent.task_id)
    await late.shows("One, two, ")
    script.release()

    for reader in (before, after, resumed, late):
        await reader.ended()
        assert reader.text == "One, two, three."
    assert not before.taken_back
    assert await anywhere.stored(sent.task_id) == "One, two, three."
    assert len(provider.calls) == 1


async def test_a_log_lost_at_every_piece_is_written_anew_each_time(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    words = [f"{number} " for number in range(10)]
    script = provider.script()
    for word in words:
        script.say(word).hold()
    sent = await assistant.send()
    reader = assistant.follow(sent.task_id)

    for number in range(len(words)):
        await reader.shows("".join(words[: number + 1]))
        await assistant.lose_log(sent.task_id)
        script.release()
    await reader.ended()

    assert reader.text == "".join(words) == await assistant.stored(sent.task_id)
    assert not reader.taken_back


async def test_text_missing_from_the_log_is_a_gap_then_a_replace_then_exact(quiet: Assistant) -> None:
    """An entry beyond the fold arrives first; what is missing comes with the row (Cases B033, B054)."""
    sent = await quiet.send(delivered=False)
    log, store = quiet.services.log, quiet.services.store
    async with store.write() as unit:
        version = await unit.sessions.bump(sent.session_id)
        await unit.tasks.claim(sent.task_id, "far away", TaskState.STREAMING, limit=9, version=version)
        await unit.workers.beat("far away")
    await log.fence(sent.task_id, 1, 0)
    await log.append(sent.task_id, _entry(1, 0, "One, "))

    async with quiet.watching(QUICK) as following:
        reader = quiet.follow(sent.task_id, following=following)
        await reader.shows("One, ")
        await quiet.lose_log(sent.task_id)
        await log.append(sent.task_id, _entry(3, 10, "three."))
        await eventually(lambda: reader.gaps)
        assert reader.text == "One, ", "the tail is kept apart"

        whole = Transcript().append(PartKind.TEXT, "One, two, three.")
        async with store.write() as unit:
            await unit.tasks.snapshot(sent.task_id, 1, Folded(whole, Position(1, 3), 1))
        await reader.shows("One, two, three.")

    assert reader.gaps == [GapSeen(5, 10)]
    assert reader.replaced == 1


async def test_a_lost_end_mark_hangs_nobody(quiet: Assistant) -> None:
    """Cases B027, B042: no closing entry, no bump; the row alone says that it is over."""
    sent = await quiet.send(delivered=False)
    await quiet.services.log.append(sent.task_id, _entry(1, 0, "Almost "))
    async with quiet.watching(QUICK) as following:
        reader = quiet.follow(sent.task_id, following=following)
        await reader.shows("Almost ")

        await _end_in_silence(quiet, sent, "Almost all.")
        await reader.ended(within=3)

    assert reader.text == "Almost all."


async def test_the_end_mark_alone_is_enough(quiet: Assistant) -> None:
    """Case B042: the bump is lost, and nobody looks at the row for an hour."""
    sent = await quiet.send(delivered=False)
    await quiet.services.log.append(sent.task_id, _entry(1, 0, "All "))
    async with quiet.watching(Rhythm(recheck=3600.0)) as following:
        reader = quiet.follow(sent.task_id, following=following)
        await reader.shows("All ")

        await _end_in_silence(quiet, sent, "All of it.")
        await quiet.services.log.close(sent.task_id, 1, 2, len("All "))
        await reader.ended(within=3)

    assert reader.text == "All of it."


@pytest.mark.parametrize("announced", [True, False])
async def test_at_the_end_the_stored_text_has_the_last_word(quiet: Assistant, announced: bool) -> None:
    """Case B048: what was shown and what is stored differ; told by a bump, or found by looking."""
    sent = await quiet.send(delivered=False)
    await quiet.services.log.append(sent.task_id, _entry(1, 0, "Shown and more"))
    async with quiet.watching(Rhythm(recheck=3600.0) if announced else QUICK) as following:
        reader = quiet.follow(sent.task_id, following=following)
        await reader.shows("Shown and more")

        if announced:
            await _end(quiet, quiet.services.store, sent, "Stored")
        else:
            await _end_in_silence(quiet, sent, "Stored")
        end = await reader.ended(within=3)

    assert reader.text == "Stored"
    assert end.offset == len("Stored")


async def test_without_any_log_a_read_is_answered_from_the_row(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("Kept in the row").hold().say(".")
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("Kept in the row")
    await eventually(lambda: _stored_is(assistant, sent.task_id, "Kept in the row"))

    await assistant.lose_log(sent.task_id)

    assert await assistant.so_far(sent.task_id) == "Kept in the row"
    assert (await assistant.messages(sent.session_id))[-1].text == "Kept in the row"
    script.release()
    await assistant.ended(sent.task_id)
    assert await assistant.so_far(sent.task_id) == "Kept in the row."


async def test_a_reader_that_takes_nothing_for_long_is_given_what_it_missed_in_one_piece(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B028, B145: a slow reader costs no queue, and is not told an early end."""
    script = provider.script().say("Begin").hold().say(*(f" {number}" for number in range(2000)))
    sent = await assistant.send()
    async with aclosing(assistant.services.following.follow(OWNER, sent.task_id, Cursor())) as slow:
        taken = [await anext(slow)]
        await assistant.follow(sent.task_id).shows("Begin")
        script.release()
        await assistant.ended(sent.task_id)
        taken += [happening async for happening in slow]

    text = "".join(each.text for each in taken if isinstance(each, Frame))
    assert text == await assistant.stored(sent.task_id)
    assert not any(isinstance(each, Replace) for each in taken)
    assert isinstance(taken[-1], Closed)
    assert len(taken) < 10


def _entry(seq: int, offset: int, text: str) -> Entry:
    return Entry(Position(1, seq), Op.TEXT, offset, text)


async def _stored_is(assistant: Assistant, task_id: str, text: str) -> bool:
    return await assistant.stored(task_id) == text


async def _end_in_silence(assistant: Assistant, sent: Sent, text: str) -> None:
    """End the task from a process whose announcements and closing entry are lost."""
    silent = SqlStore(assistant.services.settings.database_url)
    try:
        await _end(assistant, silent, sent, text)
    finally:
        await silent.close()


async def _end(assistant: Assistant, store: Store, sent: Sent, text: str) -> None:
    task = await assistant.task(sent.task_id)
    async with store.write() as unit:
        assert await unit.tasks.end(
            sent.task_id,
            task.attempt,
            TaskState.DONE,
            TaskReason.STOPPED,
            at=assistant.services.clock.now(),
            version=await unit.sessions.bump(sent.session_id),
            transcript=Transcript().append(PartKind.TEXT, text),
        )
