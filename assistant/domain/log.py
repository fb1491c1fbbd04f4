"""The log of a task and its fold: what was written, and the one rule that reads it (DESIGN 6).

    task row (text, position)  +  entries after the position, in order  ->  text now

Entry ids are `<attempt>-<seq>`. `<attempt>-0` is the fence that opens an attempt; `<attempt>-1` names
in its offset the `base` to which the text of older attempts is cut. The fold is pure and total: it
never raises, and where an entry is missing it stops and says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from assistant.domain.transcript import Part, PartKind, Transcript


class Position(NamedTuple):
    """An entry's place in the log; positions compare as (attempt, seq) pairs do."""

    attempt: int
    seq: int


START = Position(0, 0)
"""Before every entry: attempts start at 1."""


class Op(StrEnum):
    TEXT = "text"
    """`text` of one kind, to be appended at `offset`."""

    REPLACE = "replace"
    """The whole transcript, with its parts; written when a log was lost under its writer."""

    FENCE = "fence"
    """Opens an attempt; older attempts can write no more. Never shown to a reader."""

    CLOSED = "closed"
    """The terminal state is stored; nothing more will come."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a task's log.

    `offset` is where `text` begins (for TEXT), else the length of the transcript at that point.
    `parts` are set for REPLACE only.
    """

    position: Position
    op: Op
    offset: int = 0
    text: str = ""
    kind: PartKind = PartKind.TEXT
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """Entries between the fold and this one are missing: the text from `start` to `to` is not known."""

    start: int
    to: int


@dataclass(frozen=True, slots=True)
class Folded:
    """A transcript and how far in the log it goes.

    `attempt` is the attempt that wrote last: a fence alone moves the position, not what readers see.
    `base` is the offset at which `attempt` began to write: readers of the attempt before it are cut
    there; 0 where it is not known, which is always safe. `gap` is set when an entry beyond the fold
    exists that cannot be reached from it.
    """

    transcript: Transcript = Transcript()
    position: Position = START
    attempt: int = 0
    base: int = 0
    closed: bool = False
    gap: Gap | None = None

    @property
    def text(self) -> str:
        """The text so far."""
        return self.transcript.text


def fold(start: Folded, entries: Iterable[Entry]) -> Folded:
    """`start` with `entries` applied in order; entries at or before its position change nothing.

    Same attempt and next seq: append. Newer attempt: cut to its base, then append. REPLACE: set.
    Older attempt: ignore. A missing seq: the fold ends there with `gap` set, unless a later REPLACE
    or a newer attempt whose base is within reach says how to go on. May be done in steps, cut anywhere.
    """
    now = _Folding(start)
    gap = start.gap
    for entry in entries:
        if entry.position <= now.position:
            continue
        if now.apply(entry):
            gap = gap if entry.op is Op.FENCE else None
        elif gap is None:
            gap = Gap(now.length, max(now.length, entry.offset))
    return now.result(gap)


class _Folding:
    """The fold in progress; joins text once at the end, since texts are long and entries many."""

    def __init__(self, start: Folded) -> None:
        self.transcript = start.transcript
        self.position = start.position
        self.attempt = start.attempt
        self.base = start.base
        self.closed = start.closed
        self.length = len(start.transcript)
        self._waiting: list[str] = []
        self._kind = PartKind.TEXT

    def apply(self, entry: Entry) -> bool:
        """Take one entry beyond the position; False when it cannot be reached from here."""
        attempt, seq = entry.position
        first = attempt > self.position.attempt or self.position.seq == 0
        if entry.op is Op.FENCE:
            self.position = entry.position
            return True
        if entry.op is Op.REPLACE:
            self._set(Transcript(entry.text, entry.parts))
            self.base = 0 if first else self.base
            self._reach(entry.position)
            return True
        if (seq != 1) if first else (seq != self.position.seq + 1):
            return False
        if entry.offset > self.length:
            return False
        if first:
            self._settle()
            self._set(self.transcript.cut(entry.offset))
            self.base = entry.offset
        elif entry.offset != self.length:
            return False
        if entry.op is Op.CLOSED:
            self.closed = True
        elif entry.text:
            self._add(entry.kind, entry.text)
        self._reach(entry.position)
        return True

    def result(self, gap: Gap | None) -> Folded:
        self._settle()
        return Folded(self.transcript, self.position, self.attempt, self.base, self.closed, gap)

    def _reach(self, position: Position) -> None:
        self.position = position
        self.attempt = position.attempt

    def _set(self, transcript: Transcript) -> None:
        self._waiting.clear()
        self.transcript = transcript
        self.length = len(transcript)

    def _add(self, kind: PartKind, text: str) -> None:
        if kind is not self._kind:
            self._settle()
            self._kind = kind
        self._waiting.append(text)
        self.length += len(text)

    def _settle(self) -> None:
        if self._waiting:
            self.transcript = self.transcript.append(self._kind, "".join(self._waiting))
            self._waiting.clear()
