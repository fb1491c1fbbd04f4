"""Watch a session for a page: what changed and what was written, as much at a time as the page takes.

    version of the session ──┐
    fold of each unfinished  ├──▶ news: changes, then the happenings of each answer
    task of the session    ──┘

It is pulled: between two pulls the folds grow by themselves, so a page that flushes every 50 ms gets one
frame for all that came in between, and a slow page costs nothing (DESIGN 10).

A watch carries text or only marks: whoever mirrors another page of the same browser is told the rows, and of
an answer that ended how long its text is and its checksum. It may turn from one to the other at any time.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from assistant.domain.frames import Cursor, Place, resume
from assistant.domain.ports import Channel, Hub, Rings, Versions
from assistant.domain.task import Task
from assistant.domain.transcript import checksum
from assistant.services.restoring import Changes, Restoring
from assistant.services.standing import Happening, Reader, as_happenings

HUB_LAG_SECONDS = 0.1
"""Some ticks of the hub; a page that says it holds more than the hub knows waits no longer than this."""


@dataclass(frozen=True, slots=True)
class Written:
    """What happened to the text of one answer."""

    task: Task
    happenings: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """An answer ended: how long its stored text is, and the checksum of it."""

    task: Task
    offset: int
    crc: int


@dataclass(frozen=True, slots=True)
class News:
    """One pull: the rows that changed, if any did, what was written and what ended. Empty when time ran out.

    `carried` are the ids of the answers whose text comes as happenings, here or to the page that is
    mirrored, so that a row need not carry it.
    """

    changes: Changes | None = None
    written: tuple[Written, ...] = field(default=())
    carried: frozenset[str] = field(default=frozenset())
    marks: tuple[Mark, ...] = field(default=())

    @property
    def empty(self) -> bool:
        """Nothing is new."""
        return self.changes is None and not self.written


class Watching:
    """The watch use case."""

    def __init__(self, hub: Hub, restoring: Restoring) -> None:
        self._hub = hub
        self._restoring = restoring
        self._open: set[Watch] = set()

    @asynccontextmanager
    async def open(
        self, owner_id: str, session_id: str, version: int, told: list[tuple[Task, Place]]
    ) -> AsyncGenerator["Watch"]:
        """Watch from a snapshot on: its version, and its unfinished tasks with how far the page was told
        their text. The owner was checked by the snapshot, and is checked again with every change. It carries
        text until it is told otherwise."""
        async with self._hub.session(session_id) as versions, AsyncExitStack() as channels:
            watch = Watch(self._hub, self._restoring, owner_id, session_id, version, versions, channels)
            for task, place in told:
                await watch.add(task, place)
            self._open.add(watch)
            try:
                yield watch
            finally:
                self._open.discard(watch)
                await watch.leave()

    def count(self) -> tuple[int, int]:
        """How many watches are open in this process, and how many of them carry text."""
        return len(self._open), sum(watch.carries for watch in self._open)

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
    """One page's watch over one session; `news` is called again and again by one caller.

    `carries` says whether it brings text. `carry` and `rest` may be called by others meanwhile: they are
    obeyed by the next `news`, which they wake.
    """

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
        self.carries = True
        self._hub = hub
        self._restoring = restoring
        self._owner_id = owner_id
        self._session_id = session_id
        self._version = version
        self._versions = versions
        self._channels = channels
        self._unfinished: dict[str, Task] = {}
        self._answers: dict[str, _Answer] = {}
        self._waits: dict[str, asyncio.Task[object]] = {}
        self._turned = asyncio.Event()
        self._held: Mapping[str, Cursor] = {}

    async def add(self, task: Task, place: Place) -> None:
        """Watch one more unfinished task; its text from the place to which the page was told it."""
        self._unfinished[task.id] = task
        if self.carries:
            await self._begin(task, place)

    def carry(self, held: Mapping[str, Cursor]) -> None:
        """Bring text from now on, beginning with what the page lacks beyond what it holds, by task."""
        self._held = held
        self.carries = True
        self._turned.set()

    def rest(self) -> None:
        """Bring no more text: the page gets it from another one."""
        self.carries = False
        self._turned.set()

    async def news(self, *, within: float) -> News:
        """Wait until something is new, at most `within` seconds, and return all that is.

        Raises NotFound when the session is gone, Unavailable when the store is away.
        """
        await self._something(within)
        written = await self._turn() if self._turned.is_set() else []
        written += [
            Written(answer.task, happenings)
            for answer in self._answers.values()
            if (happenings := tuple(answer.reader.take(answer.channel.folded)))
        ]
        ended = any(answer.reader.stale for answer in self._answers.values())
        if not ended and await self._versions.after(self._version, within=0) is None:
            return News(None, tuple(written))
        changes = await self._restoring.changes(self._owner_id, self._session_id, self._version)
        self._version = changes.version
        carried = {task.answer_id for task in self._unfinished.values()}
        marks: list[Mark] = []
        for task in changes.tasks:
            written += await self._changed(task, marks)
        carried |= {task.answer_id for task in self._unfinished.values()}
        return News(changes if changes.session else None, tuple(written), frozenset(carried), tuple(marks))

    async def leave(self) -> None:
        """Leave nothing waiting."""
        for wait in self._waits.values():
            wait.cancel()
        await asyncio.gather(*self._waits.values(), return_exceptions=True)
        self._waits.clear()

    async def _begin(self, task: Task, place: Place | None = None) -> _Answer:
        """Watch the text of a task, from a place, or from all that is known by now."""
        leave = AsyncExitStack()
        channel = await leave.enter_async_context(self._hub.watch(task.id))
        self._channels.push_async_exit(leave)
        answer = _Answer(task, Reader(channel.folded, task, place), channel, leave)
        self._answers[task.id] = answer
        return answer

    async def _end(self, task_id: str) -> None:
        answer = self._answers.pop(task_id)
        self._wait_no_more(task_id)
        await answer.leave.aclose()

    def _wait_no_more(self, key: str) -> None:
        wait = self._waits.pop(key, None)
        if wait is not None:
            wait.cancel()

    async def _turn(self) -> list[Written]:
        """Do what `carry` and `rest` said; what the page lacks by now, when it is to have text."""
        self._turned.clear()
        self._wait_no_more(_TURNED)
        if not self.carries:
            for task_id in list(self._answers):
                await self._end(task_id)
            return []
        written = []
        for task_id, task in self._unfinished.items():
            if task_id not in self._answers:
                cursor = self._held.get(task_id, Cursor(attempt=0))
                written.append(Written(task, await self._lacked(task, cursor)))
        return [each for each in written if each.happenings]

    async def _lacked(self, task: Task, cursor: Cursor) -> tuple[Happening, ...]:
        """Begin to watch a text of which the page holds what `cursor` says; what it lacks."""
        answer = await self._begin(task)
        channel = answer.channel
        if cursor.offset > len(channel.folded.transcript) and not channel.folded.closed:
            # The page was told more by another server, or by this one before the hub had read it.
            self._hub.ring(task.id)
            await channel.changed(channel.folded, within=HUB_LAG_SECONDS)
        answer.reader = Reader(channel.folded, task)
        return as_happenings(resume(answer.reader.folded, cursor))

    async def _changed(self, task: Task, marks: list[Mark]) -> list[Written]:
        known = self._unfinished.pop(task.id, None)
        if not task.closed:
            self._unfinished[task.id] = task
        elif known is None:
            return []
        answer = self._answers.get(task.id)
        if answer is None and task.closed:
            final = await self._restoring.final(task.id)
            marks.append(Mark(task, len(final.transcript), checksum(final.text)))
            return []
        if answer is None:
            if not self.carries:
                return []
            answer = await self._begin(task, Place(0, 0))
            return [Written(task, tuple(answer.reader.take(answer.channel.folded)))]
        answer.task = task
        if not task.closed:
            answer.reader.stale = False
            return []
        final = await self._restoring.final(task.id)
        happenings = tuple(answer.reader.finish(task, final))
        await self._end(task.id)
        return [Written(task, happenings)]

    async def _something(self, within: float) -> None:
        """Return when any fold moved, the version rose, or time ran out; nothing is lost in between."""
        if self._turned.is_set():
            return
        if any(answer.channel.folded is not answer.reader.folded for answer in self._answers.values()):
            return
        for task_id, answer in self._answers.items():
            if task_id not in self._waits:
                self._waits[task_id] = asyncio.create_task(
                    answer.channel.changed(answer.reader.folded, within=within)
                )
        if _TURNED not in self._waits:
            self._waits[_TURNED] = asyncio.create_task(self._turned.wait())
        if _VERSION not in self._waits:
            self._waits[_VERSION] = asyncio.create_task(self._versions.after(self._version, within=within))
        done, _ = await asyncio.wait(
            self._waits.values(), timeout=within, return_when=asyncio.FIRST_COMPLETED
        )
        self._waits = {key: wait for key, wait in self._waits.items() if wait not in done}


_VERSION = ""
_TURNED = "turned"
"""The keys of the waits for the session's version and for `carry` and `rest`; no task has such an id."""
