"""Frames: resume, advance and receive, one rule at a time (DESIGN 6)."""

from hypothesis import assume, given
from hypothesis import strategies as st

from assistant.domain.frames import (
    Cursor,
    Frame,
    Missed,
    Place,
    Replace,
    Shown,
    advance,
    receive,
    resume,
)
from assistant.domain.log import Folded, Position
from assistant.domain.transcript import Transcript, checksum
from tests.unit.domain.texts import texts, transcripts


def _folded(transcript: Transcript, attempt: int = 2, base: int = 0) -> Folded:
    return Folded(transcript, Position(attempt, 5), attempt, base)


def _taken(shown: Shown, frames: tuple[Frame, ...] | Replace) -> Shown:
    assert not isinstance(frames, Replace)
    for frame in frames:
        taken = receive(shown, frame)
        assert isinstance(taken, Shown)
        shown = taken
    return shown


@given(transcripts(), st.data())
def test_a_reader_resumes_exactly_at_every_offset(transcript: Transcript, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(transcript)))
    attempt = data.draw(st.sampled_from((None, 1, 2)))
    text = transcript.text[:offset]

    answer = resume(_folded(transcript), Cursor(offset, attempt, checksum(text)))

    assert not isinstance(answer, Replace)
    assert _taken(Shown(attempt or 0, text), answer).text == transcript.text
    assert "".join(frame.text for frame in answer) == transcript.text[offset:]


@given(transcripts(), st.data())
def test_a_proven_reader_of_an_older_attempt_learns_the_new_one_even_without_text(
    transcript: Transcript, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(transcript)))
    text = transcript.text[:offset]

    shown = _taken(Shown(1, text), resume(_folded(transcript), Cursor(offset, 1, checksum(text))))

    assert shown == Shown(2, transcript.text)


@given(transcripts(), texts)
def test_a_wrong_crc_is_answered_with_the_whole_text(transcript: Transcript, other: str) -> None:
    offset = min(len(other), len(transcript))
    assume(checksum(other) != checksum(transcript.text[:offset]))

    assert resume(_folded(transcript), Cursor(offset, 2, checksum(other))) == Replace(2, transcript)


@given(transcripts(), st.integers(1, 9), st.booleans())
def test_a_cursor_beyond_the_text_is_answered_with_the_whole_text(
    transcript: Transcript, beyond: int, proven: bool
) -> None:
    crc = checksum(transcript.text) if proven else None

    assert resume(_folded(transcript), Cursor(len(transcript) + beyond, 2, crc)) == Replace(2, transcript)


@given(transcripts(), st.data())
def test_an_unproven_cursor_of_another_attempt_is_answered_with_the_whole_text(
    transcript: Transcript, data: st.DataObject
) -> None:
    assume(len(transcript) > 0)
    offset = data.draw(st.integers(1, len(transcript)))

    for attempt in (1, 3):
        assert resume(_folded(transcript), Cursor(offset, attempt)) == Replace(2, transcript)


@given(transcripts(), st.data())
def test_an_offset_alone_means_a_position_in_the_servers_own_fold(
    transcript: Transcript, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(transcript)))

    answer = resume(_folded(transcript), Cursor(offset))

    assert not isinstance(answer, Replace)
    assert "".join(frame.text for frame in answer) == transcript.text[offset:]


@given(transcripts(), st.data())
def test_a_follower_of_the_same_attempt_gets_the_rest_and_nothing_twice(
    transcript: Transcript, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(transcript)))
    folded = _folded(transcript, base=data.draw(st.integers(0, len(transcript))))

    frames = advance(folded, Place(2, offset))

    assert "".join(frame.text for frame in frames) == transcript.text[offset:]
    assert _taken(Shown(2, transcript.text[:offset]), frames).text == transcript.text
    assert advance(folded, Place(2, len(transcript))) == ()


@given(transcripts(), texts, st.data())
def test_a_follower_of_an_older_attempt_is_cut_to_the_base_and_ends_exact(
    transcript: Transcript, beyond: str, data: st.DataObject
) -> None:
    base = data.draw(st.integers(0, len(transcript)))
    text = data.draw(st.sampled_from((transcript.text[:base] + beyond, transcript.text[: base // 2])))

    shown = _taken(Shown(1, text), advance(_folded(transcript, base=base), Place(1, len(text))))

    assert shown.text == transcript.text


def test_a_follower_learns_of_a_newer_attempt_even_before_it_has_text() -> None:
    folded = _folded(Transcript("abc"), base=3)

    assert _taken(Shown(1, "abc"), advance(folded, Place(1, 3))) == Shown(2, "abc")


@given(transcripts(), texts, texts)
def test_a_reader_with_more_than_the_server_knows_is_cut_where_the_frames_begin(
    transcript: Transcript, told: str, more: str
) -> None:
    """Two lines overlap: the other one brought text of the old attempt that this one never saw."""
    place = len(Transcript(transcript.text).cut(len(told)))
    shown = Shown(1, transcript.text[:place] + more)
    assume(len(transcript) > place)

    frames = advance(_folded(transcript, base=len(transcript)), Place(1, place))

    assert _taken(shown, frames).text == transcript.text


@given(transcripts(), st.integers(0, 9), st.integers(0, 9))
def test_a_frame_that_was_taken_changes_nothing_any_more(
    transcript: Transcript, start: int, again: int
) -> None:
    frames = advance(_folded(transcript), Place(2, min(start, len(transcript))))
    shown = _taken(Shown(2, transcript.text[:start]), frames)

    for frame in frames[again:] + frames:
        assert receive(shown, frame) == shown


def test_a_frame_of_an_older_attempt_is_ignored() -> None:
    assert receive(Shown(2, "new"), Frame(1, 3, "old")) == Shown(2, "new")


def test_an_overlap_is_dropped_by_code_points() -> None:
    assert receive(Shown(1, "a😀b"), Frame(1, 1, "😀bc")) == Shown(1, "a😀bc")


def test_a_frame_beyond_the_text_is_missed_from_where_the_text_ends() -> None:
    assert receive(Shown(1, "abc"), Frame(1, 4, "e")) == Missed(3)


def test_a_frame_of_a_newer_attempt_beyond_its_base_is_missed_from_there() -> None:
    assert receive(Shown(1, "abcdef"), Frame(2, 5, "X", base=4)) == Missed(4)


def test_a_frame_that_was_meant_for_a_newer_attempt_than_the_readers_is_missed() -> None:
    assert receive(Shown(1, "abcdef"), Frame(3, 5, "YY", base=5, after=2)) == Missed(6)
    assert receive(Shown(2, "abcdX"), Frame(3, 5, "YY", base=5, after=2)) == Shown(3, "abcdXYY")


def test_the_next_offset_counts_code_points() -> None:
    assert Frame(1, 4, "a😀e\u0301").next == 8
    assert Replace(1, Transcript("a😀")).next == 2
