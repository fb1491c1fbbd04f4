"""What the hub keeps of a session and of an owner while somebody listens: a number that only rises."""

import asyncio


class Rising:
    """A number and those who wait for it to rise. `check_at` is when its row is due again."""

    def __init__(self) -> None:
        self.value = 0
        self.last_id = "0-0"
        self.ready = False
        self.opening = asyncio.Lock()
        self.watchers = 0
        self.check_at = 0.0
        self._rose = asyncio.Event()

    def rise(self, value: int) -> None:
        """Take a value; one that is not higher changes nothing."""
        if value > self.value:
            self.value = value
            self._rose.set()
            self._rose = asyncio.Event()

    async def beyond(self, value: int, within: float) -> bool:
        """Wait until it is above `value`; False when `within` seconds passed first."""
        try:
            async with asyncio.timeout(within):
                while self.value <= value:
                    await self._rose.wait()
        except TimeoutError:
            return self.value > value
        return True


class SessionVersions:
    """`Versions` of one session."""

    def __init__(self, rising: Rising) -> None:
        self._rising = rising

    async def after(self, version: int, *, within: float) -> int | None:
        """The session's version once it is above `version`, or None when `within` seconds passed."""
        return self._rising.value if await self._rising.beyond(version, within) else None


class OwnerRings:
    """One listener to an owner's rings."""

    def __init__(self, rising: Rising) -> None:
        self._rising = rising
        self._heard = rising.value

    async def next(self, *, within: float) -> bool:
        """Wait for a ring that this listener has not heard; several count as one. False when `within`
        seconds passed first."""
        rang = await self._rising.beyond(self._heard, within)
        self._heard = self._rising.value
        return rang
