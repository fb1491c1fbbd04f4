"""The seams: what use cases and the runner need of streams, queue and models (see also `store_ports`).

Adapters implement these protocols and are wired in `bootstrap`; siblings never import each other.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from assistant.domain.log import Entry, Folded, Position
from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.transcript import PartKind


class StreamLog(Protocol):
    """The log of every task (DESIGN 6). All methods raise LogUnavailable when the server is away."""

    async def fence(self, task_id: str, attempt: int, offset: int) -> None:
        """Open an attempt; Fenced when a higher one is open already. Doing it again is harmless."""
        ...

    async def append(self, task_id: str, entry: Entry) -> bool:
        """Append one entry. True: the log is whole. False: it landed in (or was refused by) a log that
        was lost under the writer, so the next entry must be a REPLACE. Raises Fenced when a higher
        attempt is open. A lost reply counts as landed."""
        ...

    async def after(self, task_id: str, position: Position) -> list[Entry]:
        """All entries after a position, in order; empty when there is no log."""
        ...

    async def after_many(self, positions: dict[str, Position]) -> dict[str, list[Entry]]:
        """The same for many tasks in one round trip; tasks without news are absent."""
        ...

    async def forget(self, task_id: str) -> None:
        """Delete a log that contradicts its row, as after a restored backup or a stranger's entry."""
        ...

    async def close(self, task_id: str, attempt: int, seq: int, offset: int) -> None:
        """Write the closing entry and let the log die soon; idempotent, quiet when fenced or gone."""
        ...

    async def bump(self, session_id: str, version: int) -> None:
        """Append `<version>-0` to the session's version stream; a late lower one is dropped."""
        ...

    async def ring(self, owner_id: str) -> None:
        """Tell whoever lists this owner's sessions that something changed."""
        ...


class Writer(Protocol):
    """The one writer of one attempt: mints offsets, coalesces, appends, snapshots (DESIGN 6)."""

    @property
    def folded(self) -> Folded:
        """All that was fed, with the position of the last entry that landed."""
        ...

    async def feed(self, kind: PartKind, delta: str) -> None:
        """Take a raw delta. The first piece goes out at once, later ones within about 30 ms. Raises
        Fenced when a newer attempt owns the task."""
        ...

    async def flush(self) -> Folded:
        """Everything fed is in the log; returns the whole. Raises Fenced."""
        ...

    def tell_whole(self) -> None:
        """Let the next entry be the whole with its parts, for readers who know the log alone."""
        ...

    def mark_calls(self, call_ids: Sequence[str]) -> None:
        """Let calls stand at the end of what was fed; readers of the log learn it by its next entry. They
        are stored already."""
        ...

    async def close(self) -> None:
        """Write the closing entry, after the terminal state is stored."""
        ...

    async def abandon(self) -> None:
        """Stop the writer's timers without writing anything more."""
        ...


class Channel(Protocol):
    """One follower's view of the hub's fold of one task."""

    @property
    def folded(self) -> Folded: ...

    async def changed(self, seen: Folded, *, within: float) -> bool:
        """Wait until the fold is another than `seen`; False when `within` seconds passed first."""
        ...


class Hub(Protocol):
    """One reader of logs for the whole process, with fan-out inside it (DESIGN 6, Hub)."""

    def watch(self, task_id: str) -> AbstractAsyncContextManager[Channel]:
        """Fold the task from its row and log, and keep it up to date while anybody watches."""
        ...

    def ring(self, task_id: str) -> None:
        """Something was just written here: read now and not at the next tick."""
        ...

    def session(self, session_id: str) -> AbstractAsyncContextManager["Versions"]:
        """Follow a session's version."""
        ...

    def owner(self, owner_id: str) -> AbstractAsyncContextManager["Rings"]:
        """Hear when anything of an owner's sessions changed."""
        ...


class Rings(Protocol):
    async def next(self, *, within: float) -> bool:
        """Wait for a ring not heard yet; several count as one. False when `within` seconds passed first."""
        ...


class Versions(Protocol):
    async def after(self, version: int, *, within: float) -> int | None:
        """The session's version once it is above `version`, or None when `within` seconds passed."""
        ...


class Queue(Protocol):
    """Delivers task ids to runners, at least once; the store has the last word."""

    async def enqueue(self, task_id: str, attempt: int) -> None:
        """Ask for a delivery; a second one under the same task and attempt is dropped while the first
        waits or runs."""
        ...


class Provider(Protocol):
    """The far side that produces model events."""

    continues_prefix: bool
    """Whether it goes on exactly where `ModelRequest.kept` ends."""

    context_tokens: int | None
    """Its window: how many tokens it reads and writes in one step, as the operator says; None when nobody
    said."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        """The model step's events, ended by Finished. Raises ProviderFailed with words for the user.
        Closing the iterator closes the connection."""
        ...


class Providers(Protocol):
    def choose(self, model: str | None) -> Provider:
        """The provider of a model; the default one when None. ProviderFailed when unknown."""
        ...

    def names(self) -> Sequence[str]: ...


class Rates(Protocol):
    """How often something was done lately. Never fails: what cannot be counted is granted."""

    async def take(self, name: str, per_minute: int) -> float:
        """Count one of so many a minute under a name: 0.0 when it is granted, else the seconds to wait."""
        ...


class Clock(Protocol):
    def now(self) -> datetime:
        """UTC with milliseconds."""
        ...

    def id(self) -> str:
        """A new UUIDv7."""
        ...
