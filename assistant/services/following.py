"""Follow a task: its text from wherever a reader stands, its states, and its one true end (DESIGN 6).

    log over task row, else task row, else message row

Caught up is not closed: only a terminal state in the store ends a follow, and what is shown then is
compared with what is stored, so the stored text always has the last word (Case B048).
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from assistant.domain.errors import LogUnavailable, NotFound, StoreUnavailable
from assistant.domain.frames import Cursor, Frame, Replace, resume
from assistant.domain.log import Folded, fold
from assistant.domain.ports import Channel, Hub, StreamLog, Versions
from assistant.domain.store_ports import Store
from assistant.domain.task import Task
from assistant.services.standing import Beat, Closed, Happening, Reader, StateSeen, as_happenings

BEAT_EVERY_SECONDS = 10.0
HUB_LAG_SECONDS = 0.1
"""Some ticks of the hub; a cursor that is beyond everything waits no longer than this."""
STORE_RETRY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Reading:
    """One catch-up read: the task, and the rest (or the whole) from a cursor on.

    `attempt` and `closed` belong to the text; `frames` may be empty.
    """

    task: Task
    folded: Folded
    answer: tuple[Frame, ...] | Replace

    @property
    def closed(self) -> bool:
        """True when nothing more will ever come."""
        return self.task.closed


_Result = TypeVar("_Result")


class Following:
    """The read and follow use cases."""

    def __init__(
        self, store: Store, log: StreamLog, hub: Hub, *, beat_seconds: float = BEAT_EVERY_SECONDS
    ) -> None:
        self._store = store
        self._log = log
        self._hub = hub
        self._beat_seconds = beat_seconds

    async def read(self, owner_id: str, task_id: str, cursor: Cursor) -> Reading:
        """One read at a cursor, without a dead end: a missing log means the row is asked.

        Raises NotFound for a task that is not the owner's.
        """
        task, stored = await self._stored(owner_id, task_id)
        folded = stored
        if not task.closed:
            try:
                folded = fold(stored, await self._log.after(task_id, stored.position))
            except LogUnavailable:
                folded = stored
        return Reading(task, folded, resume(folded, cursor))

    async def task(self, owner_id: str, task_id: str) -> Task:
        """The task; NotFound when it is not the owner's."""
        async with self._store.read() as unit:
            task = await unit.tasks.get(owner_id, task_id)
        if task is None:
            raise NotFound()
        return task

    async def follow(self, owner_id: str, task_id: str, cursor: Cursor) -> AsyncGenerator[Happening]:
        """Everything from the cursor on until the task is closed, in order and each once.

        Raises NotFound before the first happening. A slow reader costs nothing: what it has not taken
        is computed when it asks (Cases B028, B145).
        """
        task, version, final = await self._first_sight(owner_id, task_id)
        if final is not None:
            yield StateSeen(task)
            for happening in as_happenings(resume(final, cursor)):
                yield happening
            yield Closed(task.state, task.reason, len(final.transcript))
            return
        async with self._hub.session(task.session_id) as versions, self._hub.watch(task_id) as channel:
            await self._reach(channel, task_id, cursor.offset)
            reader = Reader(channel.folded, task)
            yield StateSeen(task)
            for happening in as_happenings(resume(reader.folded, cursor)):
                yield happening
            # What was committed between the first sight and the hub's own wakes the wait at once.
            wait = _Wait(channel, versions, version, self._beat_seconds)
            try:
                while True:
                    for happening in reader.take(channel.folded):
                        yield happening
                    news, final = await self._news(reader, owner_id, task_id)
                    if news is not None and final is not None:
                        for happening in reader.finish(news, final):
                            yield happening
                        return
                    if news is not None:
                        yield StateSeen(news)
                    within = STORE_RETRY_SECONDS if reader.stale else self._beat_seconds
                    woken = await wait.for_news(reader.folded, within=within)
                    reader.stale = reader.stale or woken.version
                    if not (woken.text or woken.version):
                        yield Beat()
            finally:
                await wait.cancel()

    async def _reach(self, channel: Channel, task_id: str, offset: int) -> None:
        """Let the hub catch up with a reader that was told more by a direct read of the log.

        The hub may be a tick behind the log; without this such a reader would be sent a shorter text.
        """
        while offset > len(channel.folded.transcript) and not channel.folded.closed:
            self._hub.ring(task_id)
            if not await channel.changed(channel.folded, within=HUB_LAG_SECONDS):
                return

    async def _first_sight(self, owner_id: str, task_id: str) -> tuple[Task, int, Folded | None]:
        """The task, its session's version, and its final text if it has ended, in one read."""
        async with self._store.read() as unit:
            task = await unit.tasks.get(owner_id, task_id)
            if task is None:
                raise NotFound()
            if task.closed:
                return task, task.version, await unit.tasks.stored(task_id)
            return task, await unit.sessions.version(task.session_id) or task.version, None

    async def _news(self, reader: Reader, owner_id: str, task_id: str) -> tuple[Task | None, Folded | None]:
        """The task if it changed since the reader last saw it, with its final text if it ended.

        While the store is away the reader stays stale, and the store is asked again (Case B147).
        """
        if not reader.stale:
            return None, None
        try:
            task = await self.task(owner_id, task_id)
            final = (await self._stored(owner_id, task_id))[1] if task.closed else None
        except StoreUnavailable:
            return None, None
        reader.stale = False
        if final is not None:
            return task, final
        changed = task.version != reader.task.version
        reader.task = task
        return (task if changed else None), None

    async def _stored(self, owner_id: str, task_id: str) -> tuple[Task, Folded]:
        async with self._store.read() as unit:
            task = await unit.tasks.get(owner_id, task_id)
            if task is None:
                raise NotFound()
            return task, await unit.tasks.stored(task_id)


class _Woken(NamedTuple):
    text: bool
    version: bool


class _Wait:
    """Waits for news of the text or of the session, whichever comes first, without losing either."""

    def __init__(self, channel: Channel, versions: Versions, version: int, beat_seconds: float) -> None:
        self._channel = channel
        self._versions = versions
        self._seen_version = version
        self._beat_seconds = beat_seconds
        self._version: asyncio.Task[int | None] | None = None
        self._text: asyncio.Task[bool] | None = None

    async def for_news(self, seen: Folded, *, within: float) -> _Woken:
        """What woke it; neither, when nothing came within so many seconds."""
        if self._version is None:
            self._version = asyncio.create_task(
                self._versions.after(self._seen_version, within=self._beat_seconds)
            )
        self._text = asyncio.create_task(self._channel.changed(seen, within=within))
        await asyncio.wait({self._text, self._version}, return_when=asyncio.FIRST_COMPLETED)
        text = await self._taken(self._text)
        version = None
        if self._version.done():
            version, self._version = self._version.result(), None
            self._seen_version = self._seen_version if version is None else version
        return _Woken(bool(text), version is not None)

    async def cancel(self) -> None:
        """Leave nothing running."""
        for waiting in (self._text, self._version):
            if waiting is not None:
                await self._taken(waiting)

    @staticmethod
    async def _taken(waiting: "asyncio.Task[_Result]") -> "_Result | None":
        if not waiting.done():
            waiting.cancel()
            await asyncio.wait({waiting})
        return None if waiting.cancelled() else waiting.result()
