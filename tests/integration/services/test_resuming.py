"""A reader resumes anywhere in any text and ends with exactly that text, from one provider call."""

import asyncio
import random

import pytest

from assistant.domain.frames import Cursor, Frame, Replace, Shown
from assistant.domain.task import TaskState
from assistant.domain.transcript import checksum
from assistant.services.standing import Closed, StateSeen
from tests.support.llm_server import ScriptedProvider
from tests.support.opened import OWNER, Assistant

FIRST = "A é e\u0301 你好，世界 👩‍👩‍👧‍👦 🇩🇪 👍🏽 \r\n한국어 "
SECOND = "n\u0303🌍 ﷺ\u200d🏴‍☠️ ไทย \n```py\n$1\n``` \u2028 end 𝔘𝔫𝔦"
WHOLE = FIRST + SECOND


async def test_resume_at_every_offset_is_exact(anywhere: Assistant, provider: ScriptedProvider) -> None:
    """Cases B001, B031, B036, B038, B061, B067."""
    script = provider.script().say(*FIRST).hold().say(*SECOND)
    sent = await anywhere.send()
    await anywhere.follow(sent.task_id).shows(FIRST)

    readers = [
        anywhere.follow(sent.task_id, Cursor(offset, 1, checksum(FIRST[:offset])), Shown(1, FIRST[:offset]))
        for offset in range(len(FIRST) + 1)
    ]
    for reader in readers:
        await reader.shows(FIRST)
    script.release()
    for offset, reader in enumerate(readers):
        await reader.ended()
        assert reader.text == WHOLE
        assert not reader.taken_back
        assert reader.sent == len(WHOLE) - offset, "only what was missing is sent"

    assert await anywhere.stored(sent.task_id) == WHOLE
    assert len(provider.calls) == 1


async def test_a_read_at_every_offset_gives_exactly_the_rest(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Case B038: while it runs, and after its end."""
    script = provider.script().say(*FIRST).hold().say(*SECOND)
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows(FIRST)

    for offset in range(len(FIRST) + 1):
        assert await _rest(assistant, sent.task_id, offset) == FIRST[offset:]
    script.release()
    await assistant.ended(sent.task_id)
    for offset in range(len(WHOLE) + 1):
        assert await _rest(assistant, sent.task_id, offset) == WHOLE[offset:]
    assert len(provider.calls) == 1


async def test_a_hundred_readers_at_different_offsets_at_once_are_exact(
    anywhere: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B017, B019, B115: they come and resume while the text grows."""
    chance = random.Random(100)
    text = "".join(chance.choices(list(WHOLE), k=600))
    script = provider.script().say(*text[:300]).hold()
    for start in range(300, 600, 20):
        script.say(text[start : start + 20])
    sent = await anywhere.send()
    await anywhere.follow(sent.task_id).shows(text[:300])

    offsets = [chance.randrange(301) for _ in range(100)]
    readers = [
        anywhere.follow(sent.task_id, Cursor(offset, 1, checksum(text[:offset])), Shown(1, text[:offset]))
        for offset in offsets
    ]
    await asyncio.gather(*(reader.told() for reader in readers[:50]))
    script.release()
    await asyncio.gather(*(reader.ended() for reader in readers))

    assert {reader.text for reader in readers} == {text}
    assert [reader.sent for reader in readers] == [600 - offset for offset in offsets]
    assert await anywhere.stored(sent.task_id) == text
    assert len(provider.calls) == 1


@pytest.mark.parametrize(
    "cursor",
    [
        Cursor(4, 1, checksum("Hxll")),
        Cursor(4000, 1, checksum("Hell")),
        Cursor(4, 7),
        Cursor(4, 7, checksum("Hxll")),
    ],
    ids=["a wrong text", "beyond the end", "another attempt, no proof", "another attempt, a wrong text"],
)
async def test_a_reader_in_doubt_is_given_the_whole_text(
    assistant: Assistant, provider: ScriptedProvider, cursor: Cursor
) -> None:
    """Case B021."""
    script = provider.script().say("Hello ").hold().say("world")
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("Hello ")

    reader = assistant.follow(sent.task_id, cursor, Shown(cursor.attempt or 0, "Hxll"))
    await reader.shows("Hello ")
    assert reader.replaced == 1
    script.release()
    await reader.ended()

    assert reader.text == "Hello world"
    assert reader.replaced == 1


async def test_a_reader_of_another_attempt_that_proves_its_text_is_sent_only_the_rest(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    script = provider.script().say("Hello ").hold().say("world")
    sent = await assistant.send()
    await assistant.follow(sent.task_id).shows("Hello ")

    reader = assistant.follow(sent.task_id, Cursor(4, 0, checksum("Hell")), Shown(0, "Hell"))
    await reader.shows("Hello ")
    script.release()
    await reader.ended()

    assert (reader.text, reader.replaced) == ("Hello world", 0)


async def test_a_follow_that_begins_after_the_end_gives_the_rest_and_closes(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B023, B041: the answer ended between the last character seen and the resume."""
    provider.say(*WHOLE)
    sent = await assistant.answered()

    reader = assistant.follow(sent.task_id, Cursor(3, 1, checksum(WHOLE[:3])), Shown(1, WHOLE[:3]))
    end = await reader.ended()

    assert reader.text == WHOLE
    assert (end.state, end.offset) == (TaskState.DONE, len(WHOLE))


async def test_nothing_to_resume_closes_at_once_and_sends_no_text(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B022, B039."""
    provider.say("All of it.")
    sent = await assistant.answered()
    first = assistant.follow(sent.task_id)
    await first.ended()

    for _ in range(2):
        again = assistant.follow(sent.task_id, first.cursor, first.shown)
        await again.ended()
        assert [type(each) for each in again.happenings] == [StateSeen, Closed]
        assert again.cursor == first.cursor


async def test_reasoning_and_text_keep_their_order_and_their_kinds(
    assistant: Assistant, provider: ScriptedProvider
) -> None:
    """Cases B045, B153, B155: an open reasoning part is there at once, and nothing is merged."""
    script = provider.script().reason("Let me ", "think.").hold().say("It is 4.").reason("Sure?").say(" Yes.")
    sent = await assistant.send("2 + 2?")
    live = assistant.follow(sent.task_id)
    await live.shows("Let me think.")

    opened = (await assistant.messages(sent.session_id))[-1]
    assert [(part.kind, part.start, part.end) for part in opened.parts] == [("reasoning", 0, 13)]
    script.release()
    await live.ended()

    stored = (await assistant.messages(sent.session_id))[-1]
    cuts = [(str(part.kind), stored.text[part.start : part.end]) for part in stored.parts]
    assert cuts == [
        ("reasoning", "Let me think."),
        ("text", "It is 4."),
        ("reasoning", "Sure?"),
        ("text", " Yes."),
    ]
    shown = [(str(each.kind), each.text) for each in live.happenings if isinstance(each, Frame)]
    assert _joined(shown) == cuts


def _joined(pieces: list[tuple[str, str]]) -> list[tuple[str, str]]:
    joined: list[tuple[str, str]] = []
    for kind, text in pieces:
        if joined and joined[-1][0] == kind:
            joined[-1] = (kind, joined[-1][1] + text)
        else:
            joined.append((kind, text))
    return joined


async def _rest(assistant: Assistant, task_id: str, offset: int) -> str:
    reading = await assistant.services.following.read(OWNER, task_id, Cursor(offset))
    assert not isinstance(reading.answer, Replace)
    return "".join(frame.text for frame in reading.answer)
