"""Watch a session for a page: what changed and what was written, as much at a time as the page takes.

    version of the session ──┐
    fold of each unfinished  ├──▶ news: changes, then the happenings of each answer
    task of the session    ──┘

It is pulled: between two pulls the folds grow by themselves, so a page that flushes every 50 ms gets one
frame for all that came in between, and a slow page costs nothing (DESIGN 10).
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from assistant.domain.frames import Place
from assistant.domain.ports import Channel, Hub, Rings, Versions
from assistant.domain.task import Task
from assistant.services.restoring import Changes, Restoring
from assistant.services.standing import Happening, Reader


@dataclass(frozen=True, slots=True)
class Written:
    """What happened to the text of one answer."""

    task: Task
    happenings: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class News:
    """One pull: the rows that changed, if any did, and what was written. Empty when time ran out.

    `carried` are the ids of the answers whose text comes as happenings, so that a row need not carry it.
    """

    changes: Changes | None = None
    written: tuple[Written, ...] = field(default=())
    carried: frozenset[str] = field(default=frozenset())

    @property
    def empty(self) -> bool:
        """Nothing is new."""
        return self.changes is None and not self.written


class Watching:
    """The watch use case."""

    def __init__(self, hub: Hub, restoring: Restoring) -> None:
        self._hub = hub
        self._restoring = restoring

    @asynccontextmanager
    async def open(
        self, owner_id: str, session_id: str, version: int, told: list[tuple[Task, Place]]
    ) -> AsyncGenerator["Watch"]:
        """Watch from a snapshot on: its version, and its unfinished tasks with how far the page was told
        their text. The owner was checked by the snapshot, and is checked again with every change."""
        async with self._hub.session(session_id) as versions, AsyncExitStack() as channels:
            watch = Watch(self._hub, self._restoring, owner_id, session_id, version, versions, channels)
            for task, place in told:
                await watch.add(task, place)
            try:
                yield watch
            finally:
                await watch.leave()

    def sessions(self, owner_id: str) -> AbstractAsyncContextManager[Rings]:
        """Hear when the list of this owner's sessions may have changed."""
        return self._hub.owner(owner_id)


@dataclass(slots=True)
class _Answer:
    task: Task
    reader: Reader
    channel: Channel
    leave: AsyncExitStack


class Watch:
    """One page's watch over one session; `news` is called again and again by one caller."""

    def __init__(
        self,
        hub: Hub,
        restoring: Restoring,
        owner_id: str,
        session_id: str,
        version: int,
        versions: Versions,
        channels: AsyncExitStack,
    ) -> None:
        self._hub = hub
        self._restoring = restoring
        self._owner_id = owner_id
        self._session_id = session_id
        self._version = version
        self._versions = versions
        self._channels = channels
        self._answers: dict[str, _Answer] = {}
        self._waits: dict[str, asyncio.Task[object]] = {}

    async def add(self, task: Task, place: Place) -> None:
        """Watch the text of one more task, from the place to which the page was told it."""
        leave = AsyncExitStack()
        channel = await leave.enter_async_context(self._hub.watch(task.id))
        self._channels.push_async_exit(leave)
        reader = Reader(channel.folded, task, place)
        self._answers[task.id] = _Answer(task, reader, channel, leave)

    async def news(self, *, within: float) -> News:
        """Wait until something is new, at most `within` seconds, and return all that is.

        Raises NotFound when the session is gone, Unavailable when the store is away.
        """
        await self._something(within)
        written = [
            Written(answer.task, happenings)
            for answer in self._answers.values()
            if (happenings := tuple(answer.reader.take(answer.channel.folded)))
        ]
        ended = any(answer.reader.stale for answer in self._answers.values())
        if not ended and await self._versions.after(self._version, within=0) is None:
            return News(None, tuple(written))
        changes = await self._restoring.changes(self._owner_id, self._session_id, self._version)
        self._version = changes.version
        carried = {answer.task.answer_id for answer in self._answers.values()}
        for task in changes.tasks:
            written += await self._changed(task)
        carried |= {answer.task.answer_id for answer in self._answers.values()}
        return News(changes if changes.session else None, tuple(written), frozenset(carried))

    async def leave(self) -> None:
        """Leave nothing waiting."""
        for wait in self._waits.values():
            wait.cancel()
        await asyncio.gather(*self._waits.values(), return_exceptions=True)
        self._waits.clear()

    async def _changed(self, task: Task) -> list[Written]:
        answer = self._answers.get(task.id)
        if answer is None:
            if task.closed:
                return []
            await self.add(task, Place(0, 0))
            answer = self._answers[task.id]
            return [Written(task, tuple(answer.reader.take(answer.channel.folded)))]
        answer.task = task
        if not task.closed:
            answer.reader.stale = False
            return []
        final = await self._restoring.final(task.id)
        happenings = tuple(answer.reader.finish(task, final))
        del self._answers[task.id]
        wait = self._waits.pop(task.id, None)
        if wait is not None:
            wait.cancel()
        await answer.leave.aclose()
        return [Written(task, happenings)]

    async def _something(self, within: float) -> None:
        """Return when any fold moved, the version rose, or time ran out; nothing is lost in between."""
        if any(answer.channel.folded is not answer.reader.folded for answer in self._answers.values()):
            return
        for task_id, answer in self._answers.items():
            if task_id not in self._waits:
                self._waits[task_id] = asyncio.create_task(
                    answer.channel.changed(answer.reader.folded, within=within)
                )
        if _VERSION not in self._waits:
            self._waits[_VERSION] = asyncio.create_task(self._versions.after(self._version, within=within))
        done, _ = await asyncio.wait(
            self._waits.values(), timeout=within, return_when=asyncio.FIRST_COMPLETED
        )
        self._waits = {key: wait for key, wait in self._waits.items() if wait not in done}


_VERSION = ""
"""The key of the wait for the session's version; task ids are never empty."""
