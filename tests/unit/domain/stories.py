"""Stories for the fold: what the attempts of one task wrote, and what is true after each entry.

Every attempt begins at a base: the end of the text when its claim saw the whole log, or an earlier offset
when the end of it was lost to it.
"""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from assistant.domain.log import START, Entry, Op, Position
from assistant.domain.transcript import PartKind, Transcript
from tests.unit.domain.texts import kinds, pieces


@dataclass
class Story:
    """All entries ever written, in order, and the transcript after each."""

    entries: list[Entry] = field(default_factory=list)
    after: dict[Position, Transcript] = field(default_factory=lambda: {START: Transcript()})
    base: int = 0

    @property
    def transcript(self) -> Transcript:
        """What is true at the end."""
        return self.after[self.last]

    @property
    def last(self) -> Position:
        return self.entries[-1].position if self.entries else START

    def begin_attempt(self, lost: int) -> None:
        """A claim that saw all of the text but its last `lost` code points."""
        kept = self.transcript
        self.base = max(0, len(kept) - lost)
        self._write(Entry(Position(self.last.attempt + 1, 0), Op.FENCE, self.base), kept)

    def piece(self, kind: PartKind, text: str) -> None:
        """One TEXT entry of the attempt that runs."""
        now = self._now()
        self._write(Entry(self._next(), Op.TEXT, len(now), text, kind), now.append(kind, text))

    def replace(self) -> None:
        """The whole text, as a writer says it whose log was lost."""
        now = self._now()
        self._write(Entry(self._next(), Op.REPLACE, len(now), now.text, parts=now.parts), now)

    def close(self) -> None:
        """The closing entry."""
        now = self._now()
        self._write(Entry(self._next(), Op.CLOSED, len(now)), now)

    def _now(self) -> Transcript:
        # Until its first entry an attempt has changed nothing for readers, whatever its base is.
        return self.transcript.cut(self.base) if self.last.seq == 0 else self.transcript

    def _next(self) -> Position:
        return Position(self.last.attempt, self.last.seq + 1)

    def _write(self, entry: Entry, transcript: Transcript) -> None:
        self.entries.append(entry)
        self.after[entry.position] = transcript


@st.composite
def stories(draw: st.DrawFn, *, lossy: bool = False, replaces: bool = False) -> Story:
    """Up to four attempts of up to six entries; `lossy` claims may miss the end of the text."""
    story = Story()
    for attempt in range(draw(st.integers(1, 4))):
        story.begin_attempt(draw(st.integers(0, 5)) if lossy and attempt else 0)
        for kind, text in draw(st.lists(st.tuples(kinds, pieces), max_size=6)):
            if replaces and draw(st.booleans()):
                story.replace()
            story.piece(kind, text)
    if draw(st.booleans()):
        story.close()
    return story
