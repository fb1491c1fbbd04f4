"""The one reader of logs in a process: folds of tasks, versions of sessions, rings of owners.

    watch, session, owner ──▶ what is watched ──listen: one XREAD each 25 ms──▶ fan-out by asyncio
                                              ──check: rows that are due──────▶

Nothing runs while nobody watches. Redis alone is never believed for ever: each row is looked at again
every few seconds, so that a lost end mark, a lost bump or a lost server hangs nobody (Cases B027, B042).
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from assistant.domain.errors import LogUnavailable, NotFound, Unavailable
from assistant.domain.log import Entry, Folded
from assistant.streams.alarm import Alarm, Timers, loop_timers
from assistant.streams.bells import OwnerRings, Rising, SessionVersions
from assistant.streams.followed import Followed, FollowedChannel
from assistant.streams.log import News, RedisLog, Watched

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often the hub looks, in seconds."""

    tick: float = 0.025
    recheck: float = 5.0
    recheck_in_doubt: float = 0.25
    recheck_while_away: float = 1.0
    longest_pause: float = 1.0


DEFAULT_RHYTHM = Rhythm()


class _Kept(Protocol):
    watchers: int
    ready: bool
    opening: asyncio.Lock


_AnyKept = TypeVar("_AnyKept", bound=_Kept)


class StreamHub:
    """`Hub` over one `RedisLog`. Made inside a running loop; end it with `aclose`.

    `stored` reads a task's row as the start of a fold and raises NotFound when there is none;
    `version_of` reads a session's version, None when there is no such session. Both may raise
    Unavailable, which is tried again.
    """

    def __init__(
        self,
        log: RedisLog,
        stored: Callable[[str], Awaitable[Folded]],
        version_of: Callable[[str], Awaitable[int | None]],
        *,
        rhythm: Rhythm = DEFAULT_RHYTHM,
        timers: Timers | None = None,
    ) -> None:
        self._log = log
        self._stored = stored
        self._version_of = version_of
        self._rhythm = rhythm
        self._timers: Timers = timers or loop_timers()
        self._tasks: dict[str, Followed] = {}
        self._sessions: dict[str, Rising] = {}
        self._owners: dict[str, Rising] = {}
        self._pause = 0.0
        self._listen = Alarm(self._timers)
        self._check = Alarm(self._timers)
        self._loops: dict[str, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def watch(self, task_id: str) -> AsyncGenerator[FollowedChannel]:
        """Fold the task from its row and log, and keep it up to date while anybody watches.

        Registered first, then the row is read, then the log from the row's position on: there is no
        moment at which an entry could be missed (Cases B023, B025). Raises NotFound, Unavailable.
        """
        async with self._kept(self._tasks, task_id, Followed, self._open_task) as followed:
            yield FollowedChannel(followed)

    @asynccontextmanager
    async def session(self, session_id: str) -> AsyncGenerator[SessionVersions]:
        """Follow a session's version. Raises Unavailable."""
        async with self._kept(self._sessions, session_id, Rising, self._open_session) as rising:
            yield SessionVersions(rising)

    @asynccontextmanager
    async def owner(self, owner_id: str) -> AsyncGenerator[OwnerRings]:
        """Hear when something in the owner's list of sessions changes."""
        async with self._kept(self._owners, owner_id, Rising, self._open_owner) as rising:
            yield OwnerRings(rising)

    def ring(self, task_id: str) -> None:
        """Something was just written here: read now and not at the next tick."""
        if task_id in self._tasks:
            self._listen.now()

    async def aclose(self) -> None:
        """Stop reading. Watchers that are still there see no more news."""
        for loop in self._loops.values():
            loop.cancel()
        await asyncio.gather(*self._loops.values(), return_exceptions=True)
        self._listen.off()
        self._check.off()

    @asynccontextmanager
    async def _kept(
        self,
        among: dict[str, _AnyKept],
        key: str,
        make: Callable[[], _AnyKept],
        open_: Callable[[str, _AnyKept], Awaitable[None]],
    ) -> AsyncGenerator[_AnyKept]:
        """Register as a watcher, open what nobody has opened yet, and leave nothing behind."""
        kept = among.setdefault(key, make())
        kept.watchers += 1
        try:
            async with kept.opening:
                if not kept.ready:
                    await open_(key, kept)
                    kept.ready = True
            self._wake()
            yield kept
        finally:
            kept.watchers -= 1
            if not kept.watchers:
                del among[key]
                if not self._watching:
                    self._listen.now()
                    self._check.now()

    @property
    def _watching(self) -> bool:
        return bool(self._tasks or self._sessions or self._owners)

    def _wake(self) -> None:
        for name, step in (("listen", self._listen_once), ("check", self._check_once)):
            running = self._loops.get(name)
            if running is None or running.done():
                self._loops[name] = asyncio.create_task(self._repeat(step), name=f"hub {name}")
        self._listen.after(self._rhythm.tick)

    async def _repeat(self, step: Callable[[], Awaitable[None]]) -> None:
        while self._watching:
            try:
                await step()
            except Exception:
                _log.exception("the hub failed to read")
                self._listen.after(self._rhythm.longest_pause)
                self._check.after(self._rhythm.longest_pause)
        self._listen.off()
        self._check.off()

    async def _listen_once(self) -> None:
        await self._listen.wait()
        tasks = {key: task for key, task in self._tasks.items() if task.live}
        watched = Watched(
            {key: task.folded.position for key, task in tasks.items()},
            {key: rising.value for key, rising in self._sessions.items() if rising.ready},
            {key: rising.last_id for key, rising in self._owners.items() if rising.ready},
        )
        if watched == Watched():
            return
        try:
            news = await self._log.news(watched)
        except LogUnavailable:
            self._went_away()
            self._listen.after(self._pause)
            return
        self._came_back()
        self._tell(tasks, news)
        self._listen.after(self._rhythm.tick)

    def _tell(self, tasks: dict[str, Followed], news: News) -> None:
        for task_id, entries in news.tasks.items():
            followed = tasks[task_id]
            was_in_doubt = followed.in_doubt
            followed.extend(entries)
            if followed.in_doubt and not was_in_doubt:
                followed.check_at = self._timers.time()
                self._check.now()
        for session_id, version in news.sessions.items():
            if session_id in self._sessions:
                self._sessions[session_id].rise(version)
        for owner_id, last_id in news.owners.items():
            if owner_id in self._owners:
                rising = self._owners[owner_id]
                rising.last_id = last_id
                rising.rise(rising.value + 1)

    def _went_away(self) -> None:
        if not self._pause:
            _log.warning("the stream log is away; followers are served from the rows")
            soon = self._timers.time() + self._rhythm.recheck_while_away
            for kept in (*self._tasks.values(), *self._sessions.values()):
                kept.check_at = min(kept.check_at, soon)
            self._check.at(soon)
        self._pause = min(max(2 * self._pause, self._rhythm.tick), self._rhythm.longest_pause)

    def _came_back(self) -> None:
        if self._pause:
            _log.warning("the stream log is back")
            self._pause = 0.0
            for rising in self._owners.values():
                rising.rise(rising.value + 1)

    async def _check_once(self) -> None:
        self._plan_checks()
        await self._check.wait()
        now = self._timers.time()
        for task_id, followed in list(self._tasks.items()):
            if followed.live and followed.check_at <= now:
                await self._check_task(task_id, followed)
        for session_id, rising in list(self._sessions.items()):
            if rising.ready and rising.check_at <= now:
                await self._check_session(session_id, rising)

    def _plan_checks(self) -> None:
        due = [task.check_at for task in self._tasks.values() if task.live]
        due += [rising.check_at for rising in self._sessions.values() if rising.ready]
        if due:
            self._check.at(min(due))

    async def _check_task(self, task_id: str, followed: Followed) -> None:
        followed.check_at = self._next_check(followed)
        try:
            row = await self._stored(task_id)
        except NotFound:
            followed.end()
            return
        except Unavailable:
            return
        followed.overtake(row, await self._entries_after(task_id, row))
        followed.check_at = self._next_check(followed)

    async def _check_session(self, session_id: str, rising: Rising) -> None:
        rising.check_at = self._timers.time() + self._period()
        try:
            rising.rise(await self._version_of(session_id) or 0)
        except Unavailable:
            return

    async def _open_task(self, task_id: str, followed: Followed) -> None:
        row = await self._stored(task_id)
        followed.begin(row, await self._entries_after(task_id, row))
        followed.check_at = self._timers.time() if followed.in_doubt else self._next_check(followed)
        self._check.at(followed.check_at)

    async def _open_session(self, session_id: str, rising: Rising) -> None:
        rising.rise(await self._version_of(session_id) or 0)
        rising.check_at = self._timers.time() + self._period()
        self._check.at(rising.check_at)

    async def _open_owner(self, owner_id: str, rising: Rising) -> None:
        try:
            news = await self._log.news(Watched(owners={owner_id: rising.last_id}))
        except LogUnavailable:
            self._went_away()
            return
        rising.last_id = news.owners.get(owner_id, rising.last_id)

    async def _entries_after(self, task_id: str, row: Folded) -> list[Entry]:
        """The log after the row; nothing when it is away, since then the row is all there is."""
        if row.closed:
            return []
        try:
            return await self._log.after(task_id, row.position)
        except LogUnavailable:
            self._went_away()
            return []

    def _next_check(self, followed: Followed) -> float:
        return self._timers.time() + self._period(in_doubt=followed.in_doubt)

    def _period(self, *, in_doubt: bool = False) -> float:
        if in_doubt:
            return self._rhythm.recheck_in_doubt
        return self._rhythm.recheck_while_away if self._pause else self._rhythm.recheck
