"""The stream protocol as a small world: row, log, workers, zombies, lost logs, lost replies, readers.

The fold, resume, advance and receive in it are the real ones; row, log and workers are the shortest
form of DESIGN 6. The server folds entry by entry for each reader, as the hub does for its watchers: the
base that a reader is told is the lowest one of the attempts since the one it was told of last.
"""

import random
from dataclasses import dataclass, field, replace

from assistant.domain.frames import Cursor, Frame, Missed, Place, Replace, Shown, advance, receive, resume
from assistant.domain.log import Entry, Folded, Op, Position, fold
from assistant.domain.transcript import PartKind, Transcript, checksum

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class Log:
    """Entries in rising order; an id that is not above the last one is refused, as by XADD."""

    entries: list[Entry] = field(default_factory=list)

    def add(self, entry: Entry) -> bool:
        if self.entries and entry.position <= self.entries[-1].position:
            return False
        self.entries.append(entry)
        return True

    def after(self, position: Position) -> list[Entry]:
        return [entry for entry in self.entries if entry.position > position]


@dataclass
class Row:
    """The task row: which attempt holds it, its snapshot, and the stored end."""

    attempt: int = 0
    stored: Folded = field(default_factory=Folded)
    final: Transcript | None = None

    def folded(self, log: Log) -> Folded:
        """What a claim, a restore or a stop reads."""
        if self.final is not None:
            return Folded(self.final, self.stored.position, self.attempt, closed=True)
        return fold(self.stored, log.after(self.stored.position))


class Worker:
    """One attempt. It never learns of a takeover but by a refused write: it may be a zombie."""

    def __init__(self, row: Row, log: Log, letter: str, chance: random.Random) -> None:
        self._row, self._log, self._letter, self._chance = row, log, letter, chance
        row.attempt += 1
        self.attempt = row.attempt
        self.alive = True
        self._said = 0
        self._seq = 0
        log.add(Entry(Position(self.attempt, 0), Op.FENCE))
        start = row.folded(log)
        self.transcript = start.transcript
        self._base = len(start.transcript)
        self._replace_due = False

    def piece(self) -> None:
        """Say one more word; the kind changes now and then."""
        kind = self._chance.choice((PartKind.REASONING, PartKind.TEXT))
        word = f"{self._letter}{self._said} "
        offset = len(self.transcript)
        self._said += 1
        self._seq += 1
        self.transcript = self.transcript.append(kind, word)
        position = Position(self.attempt, self._seq)
        if self._replace_due or not self._log.entries:
            whole = self.transcript
            entry = Entry(position, Op.REPLACE, len(whole), whole.text, parts=whole.parts)
        else:
            entry = Entry(position, Op.TEXT, offset, word, kind)
        landed = self._log.add(entry)
        if self._chance.random() < 0.1:
            landed = self._log.add(entry) or landed  # tried again after a lost reply
        if landed:
            self._replace_due = False
        elif self._log.entries[-1].position.attempt > self.attempt:
            self.alive = False

    def snapshot(self) -> None:
        """Text and position into the row, by attempt."""
        if self._row.attempt != self.attempt or self._row.final is not None:
            self.alive = False
            return
        position = Position(self.attempt, self._seq)
        self._row.stored = Folded(self.transcript, position, self.attempt)

    def finish(self) -> None:
        """The terminal state, by attempt."""
        if self._row.attempt == self.attempt and self._row.final is None:
            self._row.final = self.transcript
        self.alive = False


class Reader:
    """A page and the server's side of its line. `told` keeps every frame that ever went to it."""

    def __init__(self, row: Row, log: Log, chance: random.Random) -> None:
        self._row, self._log, self._chance = row, log, chance
        self.shown = Shown()
        self.taken_back = 0
        self.told: list[Frame] = []
        self.connect()

    def connect(self) -> None:
        """Resume where the page stands, with a CRC or without one."""
        text = self.shown.text
        crc = checksum(text) if self._chance.random() < 0.8 else None
        self._follow(Cursor(len(text), self.shown.attempt, crc))

    def connect_earlier(self) -> None:
        """Resume from before what the page shows; what it then sees is looked at when all of it came."""
        before, taken_back = self.shown, self.taken_back
        text = before.text[: self._chance.randint(0, len(before.text))]
        self._follow(Cursor(len(text), before.attempt, checksum(text)))
        self.taken_back = taken_back + (not self.shown.text.startswith(before.text))

    def poll(self) -> None:
        """Read the log on; a gap takes the row as soon as it is ahead."""
        new, base = self._folded, None
        for entry in self._log.after(new.position):
            before, new = new, fold(new, [entry])
            if new.attempt > before.attempt:
                base = new.base if base is None else min(base, new.base)
        if new.gap is not None:
            row = self._row.folded(self._log)
            if row.gap is None and row.position >= new.position:
                self._folded = row
                self._place = Place(row.attempt, len(row.transcript))
                self._show(Shown(row.attempt, row.text))
                return
        self._folded = new
        frames = advance(new if base is None else replace(new, base=base), self._place)
        if new.attempt >= self._place.attempt:
            self._place = Place(new.attempt, len(new.transcript))
        self._take(frames)

    def stray(self) -> None:
        """An old frame once more, out of order: it must change nothing that is right."""
        if self.told:
            self._take((self._chance.choice(self.told),), new=False)

    def end(self) -> None:
        """The stored text has the last word."""
        assert self._row.final is not None
        final = self._row.folded(self._log)
        cursor = Cursor(len(self.shown.text), self.shown.attempt, checksum(self.shown.text))
        answer = resume(final, cursor)
        if isinstance(answer, Replace):
            self.shown = Shown(answer.attempt, answer.transcript.text)
            return
        for frame in answer:
            taken = receive(self.shown, frame)
            assert isinstance(taken, Shown)
            self.shown = taken

    def _follow(self, cursor: Cursor) -> None:
        self._folded = self._row.folded(self._log)
        self._place = Place(self._folded.attempt, len(self._folded.transcript))
        answer = resume(self._folded, cursor)
        if isinstance(answer, Replace):
            self._show(Shown(answer.attempt, answer.transcript.text))
        else:
            self._take(answer)

    def _take(self, frames: tuple[Frame, ...], *, new: bool = True) -> None:
        self.told += frames if new else ()
        for frame in frames:
            taken = receive(self.shown, frame)
            if isinstance(taken, Missed):
                offset = taken.offset
                self._follow(Cursor(offset, self.shown.attempt, checksum(self.shown.text[:offset])))
                return
            self._show(taken)

    def _show(self, shown: Shown) -> None:
        if not shown.text.startswith(self.shown.text):
            self.taken_back += 1
        self.shown = shown
