"""A reader as a page is one."""

from assistant.domain.frames import Missed, Place, Shown, advance, receive
from assistant.domain.ports import Channel


class Follower:
    """It knows its place and what it shows, and looks at nothing else. In a gap it waits; what comes
    after a gap replaces all."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.folded = channel.folded
        self.shown = Shown(self.folded.attempt, self.folded.text)
        self.place = Place(self.folded.attempt, len(self.folded.transcript))
        self.in_gap = self.folded.gap is not None

    def take(self) -> None:
        """Take what is new, as frames."""
        self.folded = self.channel.folded
        if self.folded.gap is not None:
            self.in_gap = True
            return
        if self.in_gap:
            self.in_gap = False
            self.shown = Shown(self.folded.attempt, self.folded.text)
            self.place = Place(self.folded.attempt, len(self.folded.transcript))
            return
        for frame in advance(self.folded, self.place):
            got = receive(self.shown, frame)
            assert not isinstance(got, Missed), (self.shown, frame)
            self.shown = got
        if self.folded.attempt >= self.place.attempt:
            self.place = Place(self.folded.attempt, len(self.folded.transcript))

    async def until_closed(self) -> str:
        """What it shows in the end."""
        while not self.folded.closed:
            await self.channel.changed(self.folded, within=5)
            self.take()
        return self.shown.text
