"""A reader of one answer, as the page is: takes happenings by the rule of `domain.frames`, to the letter."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from assistant.domain.frames import Cursor, Frame, Missed, Replace, Shown, receive
from assistant.domain.task import Task
from assistant.domain.transcript import checksum
from assistant.services.standing import Closed, GapSeen, Happening, StateSeen
from tests.support.eventually import eventually

NOTHING = Shown()


class Reader:
    """Follows in the background from what it shows; `ended` waits for the one true end."""

    def __init__(self, happenings: AsyncGenerator[Happening], shown: Shown = NOTHING) -> None:
        self.shown = shown
        self.happenings: list[Happening] = []
        self.reached = 0
        """The largest number of code points that were ever shown."""
        self.taken_back = False
        """Text that was shown has been cut or replaced by other text."""
        self._reading = asyncio.create_task(self._read(happenings), name="reader")

    @property
    def text(self) -> str:
        """What it shows."""
        return self.shown.text

    @property
    def cursor(self) -> Cursor:
        """Where it would resume, with the proof of what it shows."""
        return Cursor(len(self.text), self.shown.attempt, checksum(self.text))

    @property
    def states(self) -> list[Task]:
        """The task, each time that it was told."""
        return [each.task for each in self.happenings if isinstance(each, StateSeen)]

    @property
    def gaps(self) -> list[GapSeen]:
        """The gaps that it was told of."""
        return [each for each in self.happenings if isinstance(each, GapSeen)]

    @property
    def replaced(self) -> int:
        """How often it was given the whole text."""
        return sum(isinstance(each, Replace) for each in self.happenings)

    @property
    def sent(self) -> int:
        """How many code points it was sent."""
        pieces = (each for each in self.happenings if isinstance(each, Frame))
        wholes = (each.transcript for each in self.happenings if isinstance(each, Replace))
        return sum(len(piece.text) for piece in pieces) + sum(len(whole) for whole in wholes)

    @property
    def end(self) -> Closed | None:
        """The end, once it was told."""
        last = self.happenings[-1] if self.happenings else None
        return last if isinstance(last, Closed) else None

    async def shows(self, text: str, within: float = 5.0) -> None:
        """Wait until it shows exactly this."""
        await eventually(lambda: self._alive() and self.text == text, within)

    async def told(self, within: float = 5.0) -> None:
        """Wait until it was told anything: it stands in the stream from here on."""
        await eventually(lambda: self._alive() and bool(self.happenings), within)

    async def ended(self, within: float = 10.0) -> Closed:
        """The end; raises what ended the reading before it."""
        async with asyncio.timeout(within):
            await asyncio.shield(self._reading)
        assert self.end is not None, "the follow ended without an end"
        return self.end

    async def leave(self) -> None:
        """Go away, as a closed tab does."""
        self._reading.cancel()
        await asyncio.wait({self._reading})

    def _alive(self) -> bool:
        if self._reading.done():
            self._reading.result()
        return True

    async def _read(self, happenings: AsyncGenerator[Happening]) -> None:
        async with aclosing(happenings):
            async for happening in happenings:
                assert self.end is None, "something came after the end"
                self.happenings.append(happening)
                self._take(happening)

    def _take(self, happening: Happening) -> None:
        before = self.text
        match happening:
            case Replace(attempt, transcript):
                self.shown = Shown(attempt, transcript.text)
            case Frame():
                after = receive(self.shown, happening)
                assert not isinstance(after, Missed), f"a hole before {happening} at {len(before)}"
                self.shown = after
        self.reached = max(self.reached, len(self.text))
        if not self.text.startswith(before):
            self.taken_back = True
