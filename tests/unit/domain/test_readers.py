"""A reader with two lines at once, late, doubled and stray frames, many attempts: never an untrue text."""

from dataclasses import dataclass, field, replace

from hypothesis import given, settings
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
from assistant.domain.log import Folded, fold
from assistant.domain.transcript import checksum
from tests.unit.domain.stories import Story, stories

any_story = st.one_of(stories(), stories(lossy=True), stories(lossy=True, replaces=True))


@dataclass
class Line:
    """One connection: the server's fold for it, the place it was told of, and what is still on the way."""

    folded: Folded = field(default_factory=Folded)
    place: Place = Place(0, 0)
    on_the_way: list[Frame | Replace] = field(default_factory=list)
    read: int = 0

    def resume(self, story: Story, cursor: Cursor, upto: int) -> None:
        """A new connection, to a server that has read `upto` entries."""
        self.read = upto
        self.folded = fold(Folded(), story.entries[:upto])
        answer = resume(self.folded, cursor)
        self.on_the_way = [answer] if isinstance(answer, Replace) else list(answer)
        self.place = Place(self.folded.attempt, len(self.folded.transcript))

    def read_on(self, story: Story, count: int) -> None:
        """The server reads `count` more entries at once; the base is the lowest in between."""
        base: int | None = None
        for entry in story.entries[self.read : self.read + count]:
            before, self.folded = self.folded, fold(self.folded, [entry])
            if self.folded.attempt > before.attempt:
                base = self.folded.base if base is None else min(base, self.folded.base)
        self.read = min(self.read + count, len(story.entries))
        folded = self.folded if base is None else replace(self.folded, base=base)
        self.on_the_way += advance(folded, self.place)
        self.place = Place(folded.attempt, len(folded.transcript))


class Page:
    """A reader of two lines."""

    def __init__(self, story: Story, data: st.DataObject) -> None:
        self._story, self._data = story, data
        self.shown = Shown()
        self.lines = (Line(), Line())
        self._ever: list[Frame] = []

    def something_happens(self) -> None:
        line = self._data.draw(st.sampled_from(self.lines))
        match self._data.draw(st.sampled_from(("read", "read", "take", "take", "take", "stray", "resume"))):
            case "read":
                line.read_on(self._story, self._data.draw(st.integers(1, 8)))
            case "take":
                self.take(line)
            case "stray":
                if self._ever:
                    self._receive(line, self._data.draw(st.sampled_from(self._ever)))
            case "resume":
                upto = self._data.draw(st.integers(0, len(self._story.entries)))
                self.resume(line, len(self.shown.text), upto, proven=self._data.draw(st.booleans()))

    def take(self, line: Line) -> None:
        """Take what comes next on a line."""
        if not line.on_the_way:
            return
        piece = line.on_the_way.pop(0)
        if isinstance(piece, Replace):
            self._show(Shown(piece.attempt, piece.transcript.text))
            return
        self._ever.append(piece)
        self._receive(line, piece)

    def resume(self, line: Line, offset: int, upto: int, *, proven: bool = True) -> None:
        """Open a line anew from `offset` of what is shown."""
        crc = checksum(self.shown.text[:offset]) if proven else None
        line.resume(self._story, Cursor(offset, self.shown.attempt, crc), upto)

    def _receive(self, line: Line, frame: Frame) -> None:
        taken = receive(self.shown, frame)
        if isinstance(taken, Missed):
            self.resume(line, taken.offset, line.read)
        else:
            self._show(taken)

    def _show(self, shown: Shown) -> None:
        self.shown = shown
        assert any(true.text.startswith(shown.text) for true in self._story.after.values()), shown


@settings(max_examples=400)
@given(any_story, st.data())
def test_whatever_comes_in_whatever_order_shows_a_true_prefix_and_ends_exact(
    story: Story, data: st.DataObject
) -> None:
    page = Page(story, data)
    for _ in range(data.draw(st.integers(0, 30))):
        page.something_happens()

    line = page.lines[0]
    page.resume(line, len(page.shown.text), len(story.entries))
    while line.on_the_way:
        page.take(line)

    assert page.shown.text == story.transcript.text


@given(any_story, st.data())
def test_a_line_that_is_never_cut_ends_exact_without_resuming(story: Story, data: st.DataObject) -> None:
    shown, line = Shown(), Line()

    while line.read < len(story.entries):
        line.read_on(story, data.draw(st.integers(1, 8)))
        for frame in line.on_the_way:
            assert isinstance(frame, Frame)
            taken = receive(shown, frame)
            assert isinstance(taken, Shown), "nothing is missed on a line in order"
            shown = taken
        line.on_the_way.clear()

    assert shown.text == story.transcript.text


@given(stories(), st.data())
def test_without_a_lost_log_a_follower_never_sees_text_taken_back(story: Story, data: st.DataObject) -> None:
    shown, line = Shown(), Line()

    while line.read < len(story.entries):
        line.read_on(story, data.draw(st.integers(1, 8)))
        for frame in line.on_the_way:
            assert isinstance(frame, Frame)
            taken = receive(shown, frame)
            assert isinstance(taken, Shown)
            assert taken.text.startswith(shown.text)
            shown = taken
        line.on_the_way.clear()
