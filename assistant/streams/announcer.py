"""Announces committed versions behind the writers' backs: a slow or absent log never delays a commit.

Bumps wait in one small table, newest version a session; one task sends them in order. What cannot be
sent is dropped: followers compare with the row every few seconds (DESIGN 4).
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from assistant.domain.errors import LogUnavailable
from assistant.domain.ports import StreamLog
from assistant.domain.records import Bump


class Announcer:
    """What the store calls after each commit."""

    def __init__(self, log: StreamLog) -> None:
        self._log = log
        self._waiting: dict[str, Bump] = {}
        self._some = asyncio.Event()

    async def __call__(self, bumps: list[Bump]) -> None:
        """Take what was committed; returns at once."""
        for bump in bumps:
            self._waiting[bump.session_id] = bump
        self._some.set()

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Send until the block ends."""
        sending = asyncio.create_task(self._send_for_ever(), name="announcer")
        try:
            yield
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _send_for_ever(self) -> None:
        while True:
            await self._some.wait()
            self._some.clear()
            waiting, self._waiting = self._waiting, {}
            try:
                for bump in waiting.values():
                    await self._log.bump(bump.session_id, bump.version)
                for owner_id in {bump.owner_id for bump in waiting.values()}:
                    await self._log.ring(owner_id)
            except LogUnavailable:
                continue
