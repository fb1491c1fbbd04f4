"""The one writer of one attempt: from a provider's deltas to entries of the log and snapshots of the row.

    feed ──▶ pieces of one kind each ──pump, about 30 ms──▶ log     ──saver, 30 entries or 1 s──▶ task row

`feed` never waits for the log or the row. A snapshot holds exactly the text of the entries up to its
position, so row and log always fold together; while a REPLACE is due it may hold more, since that
entry sets the whole text again (DESIGN 6, Writer).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.domain.errors import Fenced, LogUnavailable, Unavailable
from assistant.domain.log import Entry, Folded, Op, Position
from assistant.domain.transcript import PartKind, Sanitizer, Transcript
from assistant.streams.alarm import Alarm, Timers, loop_timers
from assistant.streams.log import RedisLog

_log = logging.getLogger(__name__)

_AT_ONCE = float("-inf")


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a writer writes, in seconds and entries."""

    coalesce_seconds: float = 0.03
    retry_seconds: float = 0.5
    snapshot_seconds: float = 1.0
    first_is_stored: bool = False
    """The first entry of a step is in the row before anybody sees it: where the log dies with the
    process, a kill right after it must not look like nothing was said."""
    snapshot_entries: int = 30


DEFAULT_PACE = Pace()


class AnswerWriter:
    """`Writer` of the log and the row of one attempt. Made inside a running loop; end it with `close`
    or `abandon`.

    `start` is the fold under the attempt's fence. `snapshot` stores a fold by attempt and says whether
    the attempt still owned the task; it may raise Unavailable. `ring` tells the local hub. `fenced` is
    set as soon as a newer attempt is known to own the task, so that whoever waits for a silent
    provider can stop at once.
    """

    def __init__(
        self,
        task_id: str,
        attempt: int,
        start: Folded,
        log: RedisLog,
        snapshot: Callable[[Folded], Awaitable[bool]],
        ring: Callable[[], None],
        *,
        pace: Pace = DEFAULT_PACE,
        timers: Timers | None = None,
    ) -> None:
        self.fenced = asyncio.Event()
        self._task_id = task_id
        self._attempt = attempt
        self._start = start
        self._log = log
        self._snapshot = snapshot
        self._ring = ring
        self._pace = pace
        self._timers: Timers = timers or loop_timers()
        resumed = start.position.attempt == attempt and start.position.seq > 0
        self._base = start.base if resumed else len(start.transcript)
        self._seq = start.position.seq if resumed else 0
        self._written = start.transcript
        self._under_way: Transcript | None = None
        self._pieces: list[tuple[PartKind, str]] = []  # of a call the id
        self._kind = PartKind.TEXT
        self._sanitizer = Sanitizer()
        self._replace_due = False
        self._first = True
        self._next_send = _AT_ONCE
        self._last_sign = self._timers.time()
        self._unsaved = 0
        self._flushes: list[asyncio.Future[None]] = []
        self._failure: Exception | None = None
        self._saving = asyncio.Lock()
        self._send = Alarm(self._timers)
        self._save = Alarm(self._timers)
        self._send.after(self._keep_seconds)
        self._loops = [
            asyncio.create_task(self._run(self._pump), name=f"writer pump of {task_id}"),
            asyncio.create_task(self._run(self._saver), name=f"writer saver of {task_id}"),
        ]

    @property
    def folded(self) -> Folded:
        """All that was fed, with the position of the last entry that landed."""
        transcript = self._written if self._under_way is None else self._under_way
        for piece in self._pieces:
            transcript = _with(transcript, *piece)
        return self._folded(transcript)

    async def feed(self, kind: PartKind, delta: str) -> None:
        """Take a raw delta. The first piece goes out at once, later ones within about 30 ms.

        Raises Fenced when a newer attempt owns the task.
        """
        self._raise()
        if kind is not self._kind:
            self._take(self._sanitizer.flush())
            self._kind = kind
        self._take(self._sanitizer.feed(delta))

    async def flush(self) -> Folded:
        """Everything fed is in the log, and no snapshot is under way; returns the whole, which the
        caller stores. The next piece counts as a first one again. Raises Fenced.

        While the log is away the whole is returned all the same: the row has it then.
        """
        self._raise()
        self._take(self._sanitizer.flush())
        await self._sent()
        # The caller's own write follows: a snapshot beside it would only compete with it.
        self._save.off()
        async with self._saving:
            self._unsaved = 0
        self._raise()
        self._first, self._next_send = True, _AT_ONCE
        return self.folded

    def tell_whole(self) -> None:
        """Let the next entry be a REPLACE: it may be that no entry ever said where the last calls stand."""
        self._replace_due = True
        self._send.at(self._next_send)

    def mark_calls(self, call_ids: Sequence[str]) -> None:
        """Let calls stand at the end of what was fed. Only a REPLACE carries parts, so their entry is one:
        readers that stand at the end are told nothing new by it."""
        if call_ids:
            self._pieces += [(PartKind.TOOL_CALL, call_id) for call_id in call_ids]
            self._send.at(self._next_send)

    async def close(self) -> None:
        """Write the closing entry, after the terminal state is stored. Quiet when fenced.

        Raises LogUnavailable: readers then learn of the end from the row.
        """
        if not self._ended:
            await self._sent()
        await self.abandon()
        if self.fenced.is_set():
            return
        try:
            await self._log.close(self._task_id, self._attempt, self._seq + 1, len(self._written))
        finally:
            self._ring()

    async def abandon(self) -> None:
        """Stop the writer's timers without writing anything more."""
        self._silence()
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)

    @property
    def _keep_seconds(self) -> float:
        return self._log.open_seconds / 4

    @property
    def _ended(self) -> bool:
        return self._loops[0].done()

    def _folded(self, transcript: Transcript) -> Folded:
        position = Position(self._attempt, self._seq)
        if self._seq == 0:
            return replace(self._start, transcript=transcript, position=position, gap=None)
        return Folded(transcript, position, self._attempt, self._base)

    def _take(self, text: str) -> None:
        if not text:
            return
        if self._pieces and self._pieces[-1][0] is self._kind:
            text = self._pieces.pop()[1] + text
        self._pieces.append((self._kind, text))
        self._send.at(self._next_send)

    def _raise(self) -> None:
        if self.fenced.is_set():
            raise Fenced()
        if self._failure is not None:
            raise self._failure

    async def _sent(self) -> None:
        """Wait until the pump has been through everything that is waiting now."""
        if self._ended:
            return
        done = asyncio.get_running_loop().create_future()
        self._flushes.append(done)
        self._send.now()
        await done

    async def _run(self, loop: Callable[[], Awaitable[None]]) -> None:
        try:
            await loop()
        except Fenced:
            self.fenced.set()
        except Exception as failure:
            _log.exception("the writer of task %s, attempt %d, failed", self._task_id, self._attempt)
            self._failure = failure
        finally:
            self._silence()
            self._answer_flushes()
            for other in self._loops:
                if other is not asyncio.current_task():
                    other.cancel()

    def _silence(self) -> None:
        self._send.off()
        self._save.off()

    def _answer_flushes(self) -> None:
        waiting, self._flushes = self._flushes, []
        for done in waiting:
            if not done.done():
                done.set_result(None)

    async def _pump(self) -> None:
        while True:
            await self._send.wait()
            await self._send_all()
            self._answer_flushes()
            self._send.after(self._keep_seconds)

    async def _send_all(self) -> None:
        if not (self._pieces or self._replace_due):
            await self._keep()
        while self._pieces or self._replace_due:
            self._next_send = self._timers.time() + self._pace.coalesce_seconds
            if not await self._put(*self._next_entry()):
                self._next_send = self._timers.time() + self._pace.retry_seconds
                self._send.at(self._next_send)
                return

    def _next_entry(self) -> tuple[Entry, Transcript]:
        """The next entry, and the transcript with it. Takes its pieces."""
        position = Position(self._attempt, self._seq + 1)
        if self._replace_due:
            whole = self.folded.transcript
            self._pieces.clear()
            return Entry(position, Op.REPLACE, len(whole), whole.text, parts=whole.parts), whole
        kind, text = self._pieces.pop(0)
        after = _with(self._written, kind, text)
        if kind is not PartKind.TOOL_CALL:
            return Entry(position, Op.TEXT, len(self._written), text, kind), after
        while self._pieces and self._pieces[0][0] is PartKind.TOOL_CALL:
            after = _with(after, *self._pieces.pop(0))
        return Entry(position, Op.REPLACE, len(after), after.text, parts=after.parts), after

    async def _put(self, entry: Entry, transcript: Transcript) -> bool:
        """Append an entry; False when it is no use to go on now.

        An entry without a certain answer uses up its number: it may have landed, and a REPLACE under
        the next number is right in either case.
        """
        self._under_way = transcript
        first = self._first and len(transcript) > len(self._written)
        if first and self._pace.first_is_stored:
            await self._store_first(entry.position, transcript)
        went = True
        try:
            whole = await self._log.append(self._task_id, entry)
        except LogUnavailable:
            went = whole = False
        self._seq, self._written, self._under_way = entry.position.seq, transcript, None
        self._replace_due = not whole
        self._last_sign = self._timers.time()
        self._unsaved += 1
        pace = self._pace
        self._save.after(pace.snapshot_seconds)
        if self._unsaved >= self._pace.snapshot_entries:
            self._save.now()
        if went and first:
            self._first = False
            self._ring()
        return whole or (went and entry.op is not Op.REPLACE)

    async def _store_first(self, position: Position, transcript: Transcript) -> None:
        first = Folded(transcript, position, self._attempt, self._base)
        with suppress(Unavailable):
            if not await self._snapshot(first):
                raise Fenced()

    async def _keep(self) -> None:
        if self._timers.time() - self._last_sign < self._keep_seconds:
            return
        self._last_sign = self._timers.time()
        try:
            self._replace_due = not await self._log.keep(self._task_id)
        except LogUnavailable:
            self._last_sign -= self._keep_seconds
            self._send.after(self._pace.retry_seconds)

    async def _saver(self) -> None:
        while True:
            await self._save.wait()
            async with self._saving:
                if self._unsaved:
                    await self._store()

    async def _store(self) -> None:
        self._unsaved = 0
        try:
            owned = await self._snapshot(self._folded(self._written))
        except Unavailable:
            self._unsaved += 1
            self._save.after(self._pace.snapshot_seconds)
            return
        if not owned:
            raise Fenced()


def _with(transcript: Transcript, kind: PartKind, piece: str) -> Transcript:
    """The transcript with a piece at its end: text of a kind, or a call by its id."""
    return transcript.with_call(piece) if kind is PartKind.TOOL_CALL else transcript.append(kind, piece)
