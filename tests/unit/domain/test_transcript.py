"""Transcripts and the sanitizer, over any text and any chunking."""

import zlib
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant.domain.transcript import (
    Part,
    PartKind,
    Sanitizer,
    Transcript,
    checksum,
    well_formed,
)
from tests.unit.domain.texts import chunked, kinds, raw_texts, texts, transcripts


def _covered(transcript: Transcript) -> None:
    """Parts cover the text from 0 to its end, without gap, overlap, or an empty part that is no call."""
    reached = 0
    for part in transcript.parts:
        assert part.start == reached
        assert (part.end > part.start) == (part.kind is not PartKind.TOOL_CALL)
        assert (part.call_id is not None) == (part.kind is PartKind.TOOL_CALL)
        reached = part.end
    assert reached == len(transcript) == len(transcript.text)


@given(chunked(raw_texts))
def test_any_chunking_of_any_text_is_made_well_formed_as_the_whole_is(chunks: list[str]) -> None:
    sanitizer = Sanitizer()

    text = "".join([*(sanitizer.feed(chunk) for chunk in chunks), sanitizer.flush()])

    assert text == well_formed("".join(chunks))
    assert sanitizer.flush() == ""


@given(chunked(raw_texts))
def test_what_was_fed_out_never_changes_and_can_be_stored(chunks: list[str]) -> None:
    sanitizer = Sanitizer()
    whole = well_formed("".join(chunks))
    offset = 0

    for chunk in chunks:
        certain = sanitizer.feed(chunk)
        assert whole[offset : offset + len(certain)] == certain
        certain.encode("utf-8")
        assert "\0" not in certain
        offset += len(certain)


@given(texts)
def test_a_text_that_is_well_formed_stays_as_it_is(text: str) -> None:
    assert well_formed(text) == text


def test_broken_halves_and_nul_become_one_replacement_mark_each() -> None:
    assert well_formed("a\0b\ud83dc\ude00\ud83d\ude00d") == "a\ufffdb\ufffdc\ufffd😀d"


@given(st.lists(st.tuples(kinds, texts)))
def test_appending_joins_the_texts_and_the_parts_cover_them(pieces: list[tuple[PartKind, str]]) -> None:
    transcript = Transcript()
    for kind, text in pieces:
        transcript = transcript.append(kind, text)

    assert transcript.text == "".join(text for _, text in pieces)
    _covered(transcript)
    assert all(left.kind != right.kind for left, right in pairwise(transcript.parts))
    for kind in (PartKind.REASONING, PartKind.TEXT):
        of_kind = "".join(
            transcript.text[part.start : part.end] for part in transcript.parts if part.kind is kind
        )
        assert of_kind == "".join(text for piece_kind, text in pieces if piece_kind is kind)


@given(transcripts(), kinds, texts)
def test_a_call_stands_at_its_offset_and_closes_the_part_before_it(
    transcript: Transcript, kind: PartKind, more: str
) -> None:
    with_call = transcript.append(kind, "before").with_call("call")

    grown = with_call.append(kind, more)

    _covered(grown)
    assert Part(PartKind.TOOL_CALL, len(with_call), len(with_call), "call") in grown.parts


@given(transcripts(), st.data())
def test_a_cut_keeps_the_text_before_it_and_parts_that_cover_it(
    transcript: Transcript, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(transcript) + 2))

    cut = transcript.cut(offset)

    assert cut.text == transcript.text[:offset]
    _covered(cut)
    calls = [part for part in cut.parts if part.kind is PartKind.TOOL_CALL]
    assert calls == [
        part for part in transcript.parts if part.kind is PartKind.TOOL_CALL and part.start <= offset
    ]


@given(transcripts(), st.data())
def test_what_was_cut_off_and_what_stands_since_make_the_whole(
    transcript: Transcript, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(transcript)))
    rebuilt = transcript.text[:offset]

    for kind, begin, text in transcript.since(offset):
        assert kind is not PartKind.TOOL_CALL
        assert begin == len(rebuilt)
        assert text
        rebuilt += text

    assert rebuilt == transcript.text


@given(transcripts())
def test_parts_survive_the_wire(transcript: Transcript) -> None:
    shapes = [part.as_json() for part in transcript.parts]

    assert tuple(Part.from_json(shape) for shape in shapes) == transcript.parts
    assert all(("call_id" in shape) == (shape["kind"] == "tool_call") for shape in shapes)


@given(texts)
def test_the_checksum_is_the_unsigned_crc_of_the_utf8(text: str) -> None:
    assert checksum(text) == zlib.crc32(text.encode()) >= 0
