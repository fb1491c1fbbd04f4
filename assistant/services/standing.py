"""Where one follower of a task stands, and the happenings it is told as the fold moves on (DESIGN 6)."""

from dataclasses import dataclass

from assistant.domain.frames import Frame, Place, Replace, advance
from assistant.domain.log import Folded
from assistant.domain.task import Task, TaskReason, TaskState


@dataclass(frozen=True, slots=True)
class StateSeen:
    """The task as it stands now."""

    task: Task


@dataclass(frozen=True, slots=True)
class GapSeen:
    """The text from `start` to `to` is missing for now; a Replace follows by itself."""

    start: int
    to: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The end: nothing more will ever come."""

    state: TaskState
    reason: TaskReason | None
    offset: int


@dataclass(frozen=True, slots=True)
class Beat:
    """Nothing new; the link is alive."""


Happening = Frame | Replace | StateSeen | GapSeen | Closed | Beat


class Reader:
    """Where one follower stands: the fold it was last told, its place in it, and the task.

    Without a `place` it has been told the whole fold. A place may be ahead of a fold that lags.
    """

    def __init__(self, folded: Folded, task: Task, place: Place | None = None) -> None:
        self.folded = folded
        self.task = task
        self.stale = False
        self._place = place or Place(folded.attempt, len(folded.transcript))
        self._gap = False

    def take(self, new: Folded) -> list[Happening]:
        """What the follower is told of a newer fold."""
        self.folded = new
        if new.closed:
            self.stale = True
        if new.gap is not None:
            if self._gap:
                return []
            self._gap = True
            return [GapSeen(self._place.offset, max(new.gap.to, self._place.offset))]
        if self._gap:
            self._gap = False
            self._place = Place(new.attempt, len(new.transcript))
            return [Replace(new.attempt, new.transcript)]
        frames = advance(new, self._place)
        if (new.attempt, len(new.transcript)) > self._place:
            self._place = Place(new.attempt, len(new.transcript))
        return list(frames)

    def finish(self, task: Task, final: Folded) -> list[Happening]:
        """The last happenings: what the stored text has beyond the shown one, or all of it."""
        offset = self._place.offset
        shown = self.folded.text[:offset]
        attempt = max(task.attempt, self._place.attempt)
        rest: tuple[Frame, ...] | Replace
        if self._gap or final.text[:offset] != shown:
            rest = Replace(attempt, final.transcript)
        else:
            rest = tuple(
                Frame(attempt, begin, text, kind, base=offset, after=self._place.attempt)
                for kind, begin, text in final.transcript.since(offset)
            )
        return [
            *as_happenings(rest),
            StateSeen(task),
            Closed(task.state, task.reason, len(final.transcript)),
        ]


def as_happenings(answer: tuple[Frame, ...] | Replace) -> tuple[Frame | Replace, ...]:
    """The answer to a resume, in order, as what a follower is told."""
    return (answer,) if isinstance(answer, Replace) else answer
