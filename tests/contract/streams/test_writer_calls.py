"""Calls in a stream: where they stand is told by the log, kept by the row, and the same to everybody."""

import asyncio
import itertools
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.domain.log import START, Entry, Folded, Op, Position, fold
from assistant.domain.transcript import Part, PartKind, Transcript
from assistant.streams.connection import connect
from assistant.streams.followed import Followed
from assistant.streams.log import RedisLog
from assistant.streams.writer import AnswerWriter
from tests.contract.streams.rows import Row
from tests.contract.streams.timers import HandTimers, a_turn
from tests.support.eventually import eventually

TEXT, REASONING, CALL = PartKind.TEXT, PartKind.REASONING, PartKind.TOOL_CALL
_numbers = itertools.count(1)


@pytest.fixture
async def writer(log: RedisLog, task_id: str, timers: HandTimers) -> AsyncGenerator[AnswerWriter]:
    await log.fence(task_id, 1, 0)
    writer = AnswerWriter(task_id, 1, Folded(), log, Row().snapshot, lambda: None, timers=timers)
    yield writer
    await writer.abandon()


async def written(log: RedisLog, task_id: str, count: int) -> list[Entry]:
    async def entries() -> list[Entry]:
        found = await log.after(task_id, Position(1, 0))
        assert len(found) == count, found
        return found

    return await eventually(entries)


async def test_calls_stand_where_the_text_ended_and_one_entry_tells_them_all(
    writer: AnswerWriter, log: RedisLog, task_id: str
) -> None:
    await writer.feed(TEXT, "😀!")
    await writer.flush()
    writer.mark_calls(["a", "b"])
    await writer.feed(TEXT, "On.")
    folded = await writer.flush()
    parts = (Part(TEXT, 0, 2), Part(CALL, 2, 2, "a"), Part(CALL, 2, 2, "b"), Part(TEXT, 2, 5))
    assert folded.transcript == Transcript("😀!On.", parts)
    entries = await written(log, task_id, 3)
    assert [(entry.op, entry.offset, entry.text, entry.parts) for entry in entries] == [
        (Op.TEXT, 0, "😀!", ()),
        (Op.REPLACE, 2, "😀!", parts[:3]),
        (Op.TEXT, 2, "On.", ()),
    ]


async def test_calls_that_come_before_any_text_are_told_too(
    writer: AnswerWriter, log: RedisLog, task_id: str
) -> None:
    writer.mark_calls(["a"])
    (entry,) = await written(log, task_id, 1)
    assert (entry.op, entry.text, entry.parts) == (Op.REPLACE, "", (Part(CALL, 0, 0, "a"),))


async def test_no_calls_and_a_whole_that_nobody_asked_for_write_nothing(
    writer: AnswerWriter, log: RedisLog, task_id: str
) -> None:
    writer.mark_calls([])
    assert (await writer.flush()).position == Position(1, 0)
    assert await log.after(task_id, Position(1, 0)) == []


async def test_the_whole_is_told_with_what_was_fed_meanwhile(
    writer: AnswerWriter, log: RedisLog, task_id: str
) -> None:
    await writer.feed(TEXT, "One")
    await writer.flush()
    writer.tell_whole()
    writer.mark_calls(["a"])
    await writer.flush()
    last = (await written(log, task_id, 2))[-1]
    assert (last.op, last.text, last.parts) == (Op.REPLACE, "One", (Part(TEXT, 0, 3), Part(CALL, 3, 3, "a")))


@dataclass
class Play:
    """One task from its first attempt to its end: what its processes do, and who looks on."""

    log: RedisLog
    task_id: str
    row: Row = field(default_factory=lambda: Row(attempt=0))
    calls: list[tuple[str, int]] = field(default_factory=list)
    onlooker: Followed = field(default_factory=Followed)
    whole_log: bool = True

    async def take_over(self) -> None:
        """An attempt is lost, whenever, and the next one begins."""
        if self.row.attempt:
            await self.writer.abandon()
        self.row.attempt += 1
        start = self.row.folded
        await self.log.fence(self.task_id, self.row.attempt, len(start.transcript))
        entries = await self.log.after(self.task_id, start.position)
        ends_with_calls = bool(start.transcript.parts) and start.transcript.parts[-1].kind is CALL
        folded = fold(start, entries)
        self.row.folded = folded
        self.writer = AnswerWriter(
            self.task_id, self.row.attempt, folded, self.log, self.row.snapshot, lambda: None
        )
        if ends_with_calls and all(entry.op is not Op.REPLACE for entry in entries):
            self.writer.tell_whole()

    async def say(self, kind: PartKind, text: str) -> None:
        await self.writer.feed(kind, text)

    async def call(self, count: int, *, told: bool) -> None:
        """A step ends with calls: stored in one transaction, then told; not `told`, when it is killed."""
        folded = await self.writer.flush()
        transcript = folded.transcript
        ids = [f"call-{next(_numbers)}" for _ in range(count)]
        for call_id in ids:
            self.calls.append((call_id, len(transcript)))
            transcript = transcript.with_call(call_id)
        self.row.folded = replace(folded, transcript=transcript)
        if told:
            self.writer.mark_calls(ids)
        else:
            await self.take_over()

    async def lose_log(self) -> None:
        await cast(Any, self.log)._client.delete(f"s:{self.task_id}")
        self.whole_log = False

    async def look(self) -> None:
        """As the hub does at a tick."""
        position = self.onlooker.folded.position
        self.onlooker.extend(await self.log.after(self.task_id, position))
        if self.onlooker.in_doubt:
            entries = await self.log.after(self.task_id, self.row.folded.position)
            self.onlooker.overtake(self.row.folded, entries)


say = st.tuples(
    st.just("say"), st.sampled_from([TEXT, REASONING]), st.sampled_from(["a", "é ", "😀", "\r\n", "ab c"])
)
call = st.tuples(st.just("call"), st.integers(1, 3), st.booleans())
acts = st.one_of(
    say, say, call, st.just(("take_over",)), st.just(("lose_log",)), st.just(("look",)), st.just(("wait",))
)


@settings(max_examples=400, deadline=None)
@given(st.lists(acts, max_size=25))
def test_row_log_message_and_onlooker_agree_on_every_part(schedule: list[tuple[Any, ...]]) -> None:
    asyncio.run(_play(schedule))


async def _play(schedule: list[tuple[Any, ...]]) -> None:
    play = Play(RedisLog(connect("memory://")), f"task-{next(_numbers)}")
    await play.take_over()
    play.onlooker.begin(play.row.folded, [])
    for act, *given_ in schedule:
        match act:
            case "say":
                await play.say(*given_)
            case "call":
                await play.call(given_[0], told=given_[1])
            case "take_over":
                await play.take_over()
            case "lose_log":
                await play.lose_log()
            case "look":
                await play.look()
            case "wait":
                await a_turn(5)
    await play.say(TEXT, "End.")
    message = (await play.writer.flush()).transcript
    await a_turn(5)
    read = fold(play.row.folded, await play.log.after(play.task_id, play.row.folded.position))
    await play.writer.close()
    await play.look()

    assert read.transcript == message
    if play.whole_log:
        told = fold(Folded(), await play.log.after(play.task_id, START))
        assert told.transcript == message
        assert play.onlooker.folded.transcript == message
    assert [(part.call_id, part.start) for part in message.parts if part.call_id] == play.calls
    _covers(message)


def _covers(transcript: Transcript) -> None:
    """The parts go from the beginning to the end without gap or overlap."""
    reached = 0
    for part in transcript.parts:
        assert part.start == reached <= part.end
        reached = part.end
    assert reached == len(transcript)
