"""The component takes chunks exactly as `domain.frames` says."""

from random import Random
from typing import Any

from playwright.sync_api import Page, expect

from assistant.domain.frames import Frame, Missed, Shown, receive
from assistant.domain.transcript import PartKind, Transcript, checksum
from tests.support.text_page import give, piece, show, whole

CHARACTERS = (
    "a",
    "Z",
    " ",
    "\n",
    "\r\n",
    "é",
    "e\u0301",
    "你",
    "，",
    "😀",
    "👩‍👩‍👧🏽",
    "🇨🇭",
    "\ufffd",
    "\U0010ffff",
)

HELD = "page.held('m')"


def test_any_schedule_of_chunks_leaves_what_the_engine_says(page: Page) -> None:
    """Cases B016, B019, B021: late, doubled, overlapping and superseding chunks, in any order."""
    random = Random(20)
    schedules = [_schedule(random) for _ in range(400)]
    take = """schedules => schedules.map((frames, number) => frames.map((frame) => {
        const m = `s${number}`;
        page.missed.length = 0;
        page.set({chunks: [{m, t: "", op: "text", ...frame}]});
        const {attempt, offset, crc, text, counted} = page.held(m);
        return [attempt, offset, crc, text, counted];
    }))"""
    shown = page.evaluate(take, [[_chunk(frame) for frame in frames] for frames in schedules])
    for frames, steps in zip(schedules, shown, strict=True):
        assert steps == _expected(frames)


def test_a_frame_beyond_what_is_held_asks_once_for_the_rest(page: Page) -> None:
    give(page, [piece("m", "你好😀", 0), piece("m", "later", 5), piece("m", "and later", 10)])
    give(page, [piece("m", "still later", 19)])
    assert page.evaluate("page.missed") == [["m", "t-m", 1, 3, checksum("你好😀")]]

    give(page, [piece("m", "!!", 3), piece("m", "later", 6)])
    assert page.evaluate("page.missed[1]") == ["m", "t-m", 1, 5, checksum("你好😀!!")]


def test_a_frame_that_is_not_for_the_held_attempt_asks_too(page: Page) -> None:
    give(page, [piece("m", "one", 0), piece("m", "x", 0, a=4, f=2)])
    assert page.evaluate("page.missed") == [["m", "t-m", 1, 3, checksum("one")]]
    assert page.evaluate(HELD)["text"] == "one"


def test_a_list_that_comes_twice_changes_nothing(page: Page) -> None:
    """Case B016."""
    chunks = [whole("m", "Once "), piece("m", "upon ", 5), piece("m", "a time", 10, a=2, b=10, f=1)]
    give(page, chunks)
    before = page.evaluate(HELD)
    give(page, chunks)
    assert page.evaluate(HELD) == before
    assert before["text"] == "Once upon a time"


def test_a_short_name_means_the_message_whose_id_ends_so(page: Page) -> None:
    """In a list that comes twice, and after a reload; one that was never told means nothing."""
    id, other = "0198-one-89abcdef", "0198-two-01234567"
    named = [piece(id, "Once ", 0), piece(other, "Else", 0)]
    short = [{"n": "89abcdef", "a": 1, "o": 5, "x": "upon "}, {"n": "01234567", "a": 1, "o": 4, "x": "where"}]
    for chunks in (named, short, short, named):
        give(page, chunks)
    assert _texts_of(page, id, other) == ["Once upon ", "Elsewhere"]

    page.reload()
    page.wait_for_function("window.page")
    never_told = [{"n": "76543210", "a": 1, "o": 10, "x": "!"}, {"n": "76543210", "op": "drop"}]
    give(page, [*short, *never_told, {"n": "89abcdef", "a": 1, "o": 10, "x": "a time"}])
    assert _texts_of(page, id, other) == ["Once upon a time", "Elsewhere"]
    assert page.evaluate("page.missed") == []


def test_parts_keep_the_order_in_which_they_came(page: Page) -> None:
    """Case B153; a cut to the base of a newer attempt cuts the parts as the engine does."""
    transcript = Transcript().append(PartKind.REASONING, "thought😀").append(PartKind.TEXT, "said 你")
    transcript = transcript.with_call("c1").append(PartKind.TEXT, "more")
    ranges = [
        [part.kind, part.start, part.end, *([part.call_id] if part.call_id else [])]
        for part in transcript.parts
    ]
    give(page, [whole("m", transcript.text, p=ranges)])
    assert page.evaluate(HELD)["parts"] == _texts(transcript)

    for base in (16, 14, 5):
        transcript = transcript.cut(base).append(PartKind.TEXT, "new")
        give(page, [piece("m", "new", base, a=20 - base, b=base)])
        held = page.evaluate(HELD)
        assert held["parts"] == _texts(transcript)
        assert (held["offset"], held["crc"]) == (len(transcript), checksum(transcript.text))


def test_a_gap_is_told_and_not_asked_about_until_the_whole_text_comes(page: Page) -> None:
    show(page, "m")
    give(page, [piece("m", "Before the gap", 0), {"m": "m", "t": "t-m", "op": "gap", "from": 14, "to": 30}])
    give(page, [piece("m", "after it", 30)])
    notice = page.get_by_test_id("gap-notice")
    expect(notice).to_have_text("Part of the text arrives when the answer is complete")
    assert page.evaluate("page.missed") == []

    give(page, [whole("m", "Before the gap, in it, and after it")])
    expect(notice).to_have_count(0)
    expect(page.get_by_test_id("answer")).to_have_text("Before the gap, in it, and after it")


def test_another_task_of_the_same_message_begins_anew(page: Page) -> None:
    give(page, [piece("m", "the first try", 0, a=3), piece("m", "again", 0, t="t-2")])
    held = page.evaluate(HELD)
    assert (held["attempt"], held["text"]) == (1, "again")


def test_a_dropped_message_is_forgotten(page: Page) -> None:
    give(page, [piece("m", "gone", 0), {"m": "m", "op": "drop"}])
    assert page.evaluate(HELD)["text"] == ""


def _schedule(random: Random) -> list[Frame]:
    """Frames over a few attempts of one text, mostly near to what is held, with doubles and holes."""
    text = "".join(random.choice(CHARACTERS) for _ in range(40))
    frames: list[Frame] = []
    attempt = have = 0
    for _ in range(random.randint(1, 25)):
        if frames and random.random() < 0.15:
            frames.append(random.choice(frames))
            continue
        if random.random() < 0.2:
            attempt += random.randint(0, 2)
        offset = max(0, min(have + random.randint(-6, 2), len(text)))
        news = text[offset : offset + random.randint(0, 8)]
        kind = random.choice((PartKind.TEXT, PartKind.TEXT, PartKind.REASONING))
        base = random.randint(0, offset + 2)
        frames.append(Frame(attempt, offset, news, kind, base, random.randint(0, attempt)))
        have = max(have, frames[-1].next)
    return frames


def _expected(frames: list[Frame]) -> list[list[Any]]:
    shown = Shown()
    steps = []
    for frame in frames:
        after = receive(shown, frame)
        shown = shown if isinstance(after, Missed) else after
        length = len(shown.text)
        steps.append([shown.attempt, length, checksum(shown.text), shown.text, length])
    return steps


def _chunk(frame: Frame) -> dict[str, Any]:
    return {
        "a": frame.attempt,
        "o": frame.offset,
        "x": frame.text,
        "k": frame.kind.value,
        "b": frame.base,
        "f": frame.after,
    }


def _texts_of(page: Page, *messages: str) -> list[str]:
    return page.evaluate("messages => messages.map((each) => page.held(each).text)", messages)


def _texts(transcript: Transcript) -> list[list[str]]:
    return [[part.kind.value, transcript.text[part.start : part.end]] for part in transcript.parts]
