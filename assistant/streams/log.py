"""The log of every task on Redis Streams: fenced appends and reads (DESIGN 6).

    s:<task>     the entries of one task, ids <attempt>-<seq>
    v:<session>  the session's versions, ids <version>-0
    o:<owner>    rings: something in the owner's list changed

Only XADD, XREAD, XRANGE, EXPIRE and DEL are used, since burner-redis knows little more. Error texts
differ between servers, so a refusal is judged by what the log holds and never by its words.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from burner_redis import BurnerRedis
from redis.exceptions import RedisError

from assistant.domain.errors import Fenced
from assistant.domain.log import Entry, Op, Position
from assistant.streams.connection import Client, available, read
from assistant.streams.entries import LAST_SEQ, as_fields, entries_of, entry_id, position_of
from assistant.streams.expiries import Expiries

PAGE = 2000
BELL_TTL_SECONDS = 60
BELL_LENGTH = 1
FREED_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Watched:
    """What a process follows: tasks and how far it read them, versions it knows, rings it heard."""

    tasks: Mapping[str, Position] = field(default_factory=dict)
    sessions: Mapping[str, int] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class News:
    """What came after `Watched`; whatever has no news is absent."""

    tasks: dict[str, list[Entry]] = field(default_factory=dict)
    sessions: dict[str, int] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)


class _Added(NamedTuple):
    existed: bool
    landed: bool


class RedisLog:
    """`StreamLog` on any server that speaks the Redis protocol, or on burner-redis.

    `open_seconds` and `closed_seconds` are how long a log lives after its last sign of life, and
    after its end. The client is the caller's to close.
    """

    def __init__(self, client: Client, *, open_seconds: float = 3600, closed_seconds: float = 600) -> None:
        self._client = client
        self.open_seconds = max(1, round(open_seconds))
        self.closed_seconds = max(1, round(closed_seconds))
        self._expiries = Expiries() if isinstance(client, BurnerRedis) else None

    async def fence(self, task_id: str, attempt: int, offset: int) -> None:
        """Open an attempt; Fenced when a higher one is open already. Doing it again is harmless."""
        fence = Entry(Position(attempt, 0), Op.FENCE, offset)
        if not (await self._add(task_id, fence)).landed and await self._overtaken(task_id, attempt):
            raise Fenced()

    async def append(self, task_id: str, entry: Entry) -> bool:
        """Append one entry. True: readers who come now find a whole log. False: the log was lost
        under the writer, and the next entry must be a REPLACE.

        Raises Fenced when a higher attempt is open. A lost reply counts as landed.
        """
        added = await self._add(task_id, entry)
        if added.landed:
            return added.existed or entry.op is Op.REPLACE
        if await self._holds(task_id, entry.position):
            # An earlier try landed. Whether it found a log is told by what stands first in it.
            return entry.op is Op.REPLACE or not await self._begins_with(task_id, entry.position)
        if await self._overtaken(task_id, entry.position.attempt):
            raise Fenced()
        return False

    async def after(self, task_id: str, position: Position) -> list[Entry]:
        """All entries after a position, in order; empty when there is no log."""
        return (await self.after_many({task_id: position})).get(task_id, [])

    async def after_many(self, positions: dict[str, Position]) -> dict[str, list[Entry]]:
        """The same for many tasks in one round trip, unless one has more than a page of news."""
        return (await self.news(Watched(tasks=positions))).tasks

    async def news(self, watched: Watched) -> News:
        """Everything that came after `watched`, tasks, versions and rings alike, in one XREAD.

        A task with more than a page of news takes one XREAD more for each page.
        """
        streams = {_log_key(task): entry_id(at) for task, at in watched.tasks.items()}
        streams |= {_version_key(session): f"{at}-0" for session, at in watched.sessions.items()}
        streams |= {_bell_key(owner): at for owner, at in watched.owners.items()}
        found = await read(self._client, streams, PAGE)
        news = News()
        for task_id in watched.tasks:
            raw = found.get(_log_key(task_id))
            if raw:
                entries = entries_of(raw)
                if len(raw) == PAGE:
                    entries += await self._following_pages(task_id, entries[-1].position)
                news.tasks[task_id] = entries
        for session_id in watched.sessions:
            if raw := found.get(_version_key(session_id)):
                news.sessions[session_id] = position_of(raw[-1][0]).attempt
        for owner_id in watched.owners:
            if raw := found.get(_bell_key(owner_id)):
                news.owners[owner_id] = raw[-1][0].decode()
        return news

    async def forget(self, task_id: str) -> None:
        """Delete a log that contradicts its row, as after a restored backup or a stranger's entry."""
        with available():
            await self._client.delete(_log_key(task_id))

    async def close(self, task_id: str, attempt: int, seq: int, offset: int) -> None:
        """Write the closing entry and let the log die soon; idempotent, quiet when fenced or gone."""
        closing = Entry(Position(attempt, seq), Op.CLOSED, offset)
        added = await self._add(task_id, closing)
        if added.landed or await self._holds(task_id, closing.position):
            with available():
                await self._client.expire(_log_key(task_id), self.closed_seconds)
            self._expires(_log_key(task_id), self.closed_seconds)

    async def keep(self, task_id: str) -> bool:
        """Let an open log live on while its writer has nothing to say (Case B141).

        False when there is no log any more: the next entry must be a REPLACE.
        """
        with available():
            kept = bool(await self._client.expire(_log_key(task_id), self.open_seconds))
        self._expires(_log_key(task_id), self.open_seconds)
        return kept

    async def bump(self, session_id: str, version: int) -> None:
        """Append `<version>-0` to the session's version stream; a late lower one is dropped."""
        await self._toll(_version_key(session_id), f"{version}-0")

    async def ring(self, owner_id: str) -> None:
        """Tell whoever lists this owner's sessions that something changed."""
        await self._toll(_bell_key(owner_id), "*")

    async def _add(self, task_id: str, entry: Entry) -> _Added:
        """EXPIRE, XADD, EXPIRE in one round trip. The first says whether there was a log, the last
        gives a new one its lifetime."""
        key = _log_key(task_id)
        batch = self._client.pipeline()
        batch.expire(key, self.open_seconds)
        batch.xadd(key, as_fields(entry), id=entry_id(entry.position))
        batch.expire(key, self.open_seconds)
        with available():
            existed, added, _ = await batch.execute(raise_on_error=False)
        self._expires(key, self.open_seconds)
        if isinstance(added, Exception) and not isinstance(added, RedisError):
            raise added
        return _Added(bool(existed), not isinstance(added, Exception))

    async def _holds(self, task_id: str, position: Position) -> bool:
        own = entry_id(position)
        with available():
            return bool(await self._client.xrange(_log_key(task_id), own, own, count=1))

    async def _begins_with(self, task_id: str, position: Position) -> bool:
        with available():
            first = await self._client.xrange(_log_key(task_id), "-", "+", count=1)
        return bool(first) and position_of(first[0][0]) == position

    async def _overtaken(self, task_id: str, attempt: int) -> bool:
        key = _log_key(task_id)
        return bool(await read(self._client, {key: f"{attempt}-{LAST_SEQ}"}, 1))

    async def _following_pages(self, task_id: str, position: Position) -> list[Entry]:
        entries: list[Entry] = []
        key = _log_key(task_id)
        while True:
            found = await read(self._client, {key: entry_id(position)}, PAGE)
            raw = found.get(key, [])
            entries += entries_of(raw)
            if len(raw) < PAGE:
                return entries
            position = entries[-1].position

    async def _toll(self, key: str, bell_id: str) -> None:
        batch = self._client.pipeline()
        batch.xadd(key, {"n": ""}, id=bell_id, maxlen=BELL_LENGTH)
        batch.expire(key, BELL_TTL_SECONDS)
        with available():
            await batch.execute(raise_on_error=False)
            self._expires(key, BELL_TTL_SECONDS)
            await self._free()

    def _expires(self, key: str, seconds: float) -> None:
        if self._expiries is not None:
            self._expiries.note(key, seconds)

    async def _free(self) -> None:
        """Ask about some keys that have expired, at which burner-redis lets go of them."""
        for key in self._expiries.take(FREED_AT_ONCE) if self._expiries is not None else ():
            await self._client.xrange(key, "-", "+", count=1)


def _log_key(task_id: str) -> str:
    return f"s:{task_id}"


def _version_key(session_id: str) -> str:
    return f"v:{session_id}"


def _bell_key(owner_id: str) -> str:
    return f"o:{owner_id}"
