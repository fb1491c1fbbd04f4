"""Frames: what a reader is sent, how a reader takes it, and how a reader resumes (DESIGN 6).

A frame is idempotent: taken twice, late, or beside the same frame from another connection, it changes
nothing. The browser's component follows `receive` to the letter.
"""

from dataclasses import dataclass
from typing import NamedTuple

from assistant.domain.log import Folded
from assistant.domain.transcript import PartKind, Transcript, checksum


class Place(NamedTuple):
    """Where a reader stands: it shows `offset` code points of the text of `attempt`."""

    attempt: int
    offset: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One piece of text of one kind, at an offset.

    `base` is the offset up to which the text of older attempts still holds: a reader of an older
    attempt cuts there before it appends. That is known of `after` and the attempts since; a reader of
    a still older one, whose own news are late or lost, resumes.
    """

    attempt: int
    offset: int
    text: str
    kind: PartKind = PartKind.TEXT
    base: int = 0
    after: int = 0

    @property
    def next(self) -> int:
        """The offset after this frame."""
        return self.offset + len(self.text)


@dataclass(frozen=True, slots=True)
class Replace:
    """The whole transcript of an attempt: the reader drops what it shows."""

    attempt: int
    transcript: Transcript

    @property
    def next(self) -> int:
        """The offset after it."""
        return len(self.transcript)


@dataclass(frozen=True, slots=True)
class Cursor:
    """What a resuming reader names; the CRC is of the UTF-8 of the text that it shows.

    Without an attempt it means a position in the server's own fold.
    """

    offset: int = 0
    attempt: int | None = None
    crc: int | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A reader: the attempt that it follows and the text that it shows."""

    attempt: int = 0
    text: str = ""


class Missed(NamedTuple):
    """The reader lacks what stands before a frame and has to resume from `offset`."""

    offset: int


def resume(folded: Folded, cursor: Cursor) -> tuple[Frame, ...] | Replace:
    """What brings a reader at `cursor` to the fold: the rest, or the whole text when in doubt.

    The rest may be empty; a reader that has everything under the number of an older attempt is told the
    new one by a frame without text. A wrong CRC, a cursor beyond the fold, or an unproven cursor of
    another attempt is answered with Replace; nothing is an error.
    """
    whole = Replace(folded.attempt, folded.transcript)
    if cursor.offset > len(folded.transcript):
        return whole
    if cursor.crc is not None:
        if checksum(folded.text[: cursor.offset]) != cursor.crc:
            return whole
    elif cursor.attempt is not None and cursor.attempt != folded.attempt and cursor.offset > 0:
        return whole
    if cursor.attempt is not None and cursor.attempt > folded.attempt:
        return whole  # its rule would ignore our frames as those of an older attempt
    since = cursor.attempt or 0
    return _pieces(
        folded, cursor.offset, since, renumber=cursor.attempt is not None and since < folded.attempt
    )


def advance(folded: Folded, place: Place) -> tuple[Frame, ...]:
    """The frames that bring a follower from `place` to the fold; empty when it is caught up.

    The follower's text is what this fold, or the fold of an older attempt, showed at `place`;
    `folded.base` has to hold for that attempt. Whoever folds over several attempts at once gives the
    lowest of their bases.
    """
    if place.attempt >= folded.attempt:
        return _pieces(folded, place.offset, folded.attempt)
    begin = min(place.offset, folded.base)
    cut = begin < place.offset
    return _pieces(folded, begin, place.attempt, renumber=cut or not folded.closed)


def receive(shown: Shown, frame: Frame) -> Shown | Missed:
    """The reader after `frame`: appended, overlap dropped, cut and appended, or ignored.

    Missed when the frame begins beyond what the reader has, or is not meant for its attempt.
    """
    if frame.attempt < shown.attempt:
        return shown
    text = shown.text
    if frame.attempt > shown.attempt:
        if shown.attempt < frame.after:
            return Missed(len(text))
        text = text[: frame.base]
    if frame.offset > len(text):
        return Missed(len(text))
    return Shown(frame.attempt, text + frame.text[len(text) - frame.offset :])


def _pieces(folded: Folded, begin: int, after: int, *, renumber: bool = False) -> tuple[Frame, ...]:
    """The fold from `begin` on, for readers whose text holds up to there since the attempt `after`.

    `renumber`: when there is no text, one empty frame tells the attempt and where to cut.
    """
    pieces = tuple(
        Frame(folded.attempt, offset, text, kind, begin, after)
        for kind, offset, text in folded.transcript.since(begin)
    )
    if not pieces and renumber:
        return (Frame(folded.attempt, begin, "", base=begin, after=after),)
    return pieces
