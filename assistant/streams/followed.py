"""What the hub keeps of one task while somebody watches it: the fold, and each watcher's view of it.

    row ──┐
          ├──▶ fold ──▶ every channel of this process
    log ──┘

The fold only goes forward: entries of the log extend it, and the row is taken when it is ahead, which
is how a gap and a lost end mark heal (DESIGN 6, Gap). Only the row closes it: an end mark in the log
asks for the row, since the stored text has the last word (Case B048).
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from assistant.domain.log import Entry, Folded, Gap, fold


class Followed:
    """One task's fold. `watchers` counts its channels; `check_at` is when its row is due again.

    `ended` is set when the log holds the end mark and the row has not been asked since.
    """

    def __init__(self) -> None:
        self.folded = Folded()
        self.moved = asyncio.Event()
        self.ready = False
        self.ended = False
        self.opening = asyncio.Lock()
        self.watchers = 0
        self.check_at = 0.0

    @property
    def live(self) -> bool:
        """There is something to read for it."""
        return self.ready and not self.folded.closed

    @property
    def in_doubt(self) -> bool:
        """Only the row can say how it goes on."""
        return self.ended or self.folded.gap is not None

    def begin(self, row: Folded, entries: Iterable[Entry]) -> None:
        """The first fold, of the row and of the log after it."""
        self.folded = row if row.closed else self._unclosed(fold(row, entries))

    def extend(self, entries: Iterable[Entry]) -> None:
        """Take entries of the log that come after the fold."""
        self._move(self._unclosed(fold(self.folded, entries)))

    def overtake(self, row: Folded, entries: Iterable[Entry]) -> None:
        """Take the row, and the entries after it, if they reach further than what is known."""
        if row.closed:
            self._move(replace(row, attempt=max(row.attempt, self.folded.attempt), gap=None))
            return
        other = self._unclosed(fold(row, entries))
        if _reach(other) > _reach(self.folded):
            self._move(other)

    def end(self) -> None:
        """Nothing more can come: the task is gone."""
        self._move(replace(self.folded, closed=True, gap=None))

    def _unclosed(self, folded: Folded) -> Folded:
        self.ended = self.ended or folded.closed
        return replace(folded, closed=False) if folded.closed else folded

    def _move(self, new: Folded) -> None:
        old = self.folded
        if old.closed or (_reach(new), new.gap, new.closed) == (_reach(old), old.gap, old.closed):
            return
        self.folded = new
        self.moved.set()
        self.moved = asyncio.Event()


class FollowedChannel:
    """`Channel`: one watcher's view of the fold.

    The `base` that it gives is how far the watcher's own text still holds, which the log alone cannot
    tell a watcher that slept through an attempt, or a hub that never saw one because the log was lost.
    A watcher takes what it reads here, and names it in `changed`.
    """

    def __init__(self, followed: Followed) -> None:
        self._followed = followed
        self._source = self._given = self._seen = followed.folded
        self._torn = False

    @property
    def folded(self) -> Folded:
        """The fold now. Its `gap` is set while text is missing, `closed` when nothing more comes.

        When text that this watcher has was wrong, a fold with a gap comes first, so that the fold
        after it replaces the whole.
        """
        source = self._followed.folded
        if source is not self._source:
            self._given, self._torn = self._for_watcher(source)
            self._source = source
        return self._given

    async def changed(self, seen: Folded, *, within: float) -> bool:
        """Wait until the fold is another than `seen`; False when `within` seconds passed first."""
        self._seen = seen
        if self._torn and seen is self._given:
            self._torn, self._given = False, self._source
            return True
        try:
            async with asyncio.timeout(within):
                while not self._is_news(seen):
                    await self._followed.moved.wait()
        except TimeoutError:
            return self._is_news(seen)
        return True

    def _for_watcher(self, source: Folded) -> tuple[Folded, bool]:
        """The fold as this watcher needs it, and whether what it has is torn by it."""
        if source.gap is not None:
            return source, False
        bases = []
        for had in (self._seen, self._given):
            holds = _common(had, source)
            if had.attempt < source.attempt:
                bases.append(holds)
            elif holds < len(had.transcript):
                gap = Gap(holds, len(source.transcript))
                return replace(source, gap=gap, closed=False), True
        return (replace(source, base=min(bases)) if bases else source), False

    def _is_news(self, seen: Folded) -> bool:
        return self._followed.folded is not self._source or seen is not self._given


def _reach(folded: Folded) -> tuple[int, int, int]:
    # While the log is away a row may grow without a new position.
    return (*folded.position, len(folded.transcript))


def _common(ours: Folded, row: Folded) -> int:
    """How many code points both begin with."""
    shorter, longer = sorted((ours.text, row.text), key=len)
    if longer.startswith(shorter):
        return len(shorter)
    # Halving compares whole slices at once; a loop over the characters would hold up every reader.
    same, differs = 0, len(shorter)
    while differs - same > 1:
        middle = (same + differs) // 2
        if longer.startswith(shorter[same:middle], same):
            same = middle
        else:
            differs = middle
    return same
