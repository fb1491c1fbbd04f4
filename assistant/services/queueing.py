"""The queue of a session: messages that wait, sent by the server one after the other, each once.

    busy session ──send with queue──▶ waits ──the answer before it ended well──▶ sent, under its key
                                       │  └──a failure or a stop: it pauses──release──▶ sent
                                       ├──withdraw──▶ never sent
                                       └──rewrite──▶ waits, with another text at the same place

A row that waits and the turn that it becomes change places in one transaction, which has the session's
lock and has seen it idle: whatever process dies, and however many send on at once, each is sent once and
in order. That an answer ended is told by its runner, and found by the reconciler when that died.

Whether the queue goes on is not stored: the task of the session that ended last says it, on whichever
branch, so that looking at another branch neither starts a queue nor holds it up (Case B110).
"""

import logging
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from assistant.domain.errors import (
    NotFound,
    NothingQueued,
    QueueFull,
    RequestAccepted,
    RequestEdited,
    RequestWithdrawn,
    SessionBusy,
    StoreUnavailable,
)
from assistant.domain.ports import Clock, Queue
from assistant.domain.records import KeyRecord, KeyState, QueuedMessage, Wish, WishKind
from assistant.domain.session import Session
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import GOES_ON
from assistant.domain.transcript import well_formed
from assistant.services.turns import MAX_MESSAGE_CHARACTERS, Sent, checked_text, store_turn
from assistant.services.wishes import Wishes, fingerprint

MAX_QUEUED = 20
MAX_QUEUED_CHARACTERS = MAX_MESSAGE_CHARACTERS
"""Of all that wait in a session: every reader of it is told the whole queue whenever something changed."""

BATCH = 100

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """The message stands in the queue of its session; its ids are made when it is its turn."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that waits, as it is shown; `paused`: nothing is sent until the user says so."""

    key: str
    text: str
    position: int
    created_at: datetime
    paused: bool


@dataclass(frozen=True, slots=True)
class Rewriting:
    """Another text for the message that waits under `key`; with `replaces`, only in the place of that one."""

    key: str
    text: str
    replaces: str | None = None


def wish_to_rewrite(key: str | None, wanted: Rewriting) -> Wish | None:
    """The wish to rewrite, the same from page and API; None without a key of its own."""
    return (
        None
        if key is None
        else Wish(WishKind.REWRITE, key, fingerprint(WishKind.REWRITE.value, asdict(wanted)))
    )


class Queueing:
    """The use cases of what waits."""

    def __init__(self, store: Store, queue: Queue, wishes: Wishes, clock: Clock) -> None:
        self._store = store
        self._queue = queue
        self._wishes = wishes
        self._clock = clock

    async def release(self, owner_id: str, session_id: str, wish: Wish | None = None) -> Sent:
        """Send the oldest message that waits, although the queue is paused; the others follow it.

        Raises NotFound for a session that is not the owner's, SessionBusy while an answer is unfinished,
        NothingQueued, and what `Wishes.accept` raises.
        """
        async with self._store.write() as unit:
            earlier = await self._wishes.accept(unit, owner_id, wish)
            if earlier is not None:
                return Sent(**earlier)
            version = await unit.sessions.bump(session_id, owner_id=owner_id)
            session = await unit.sessions.get(owner_id, session_id)
            if session is None:
                raise NotFound()
            if await unit.tasks.unfinished(session_id):
                raise SessionBusy()
            oldest = await unit.queued.oldest(session_id)
            if oldest is None:
                raise NothingQueued()
            sent = await self._send(unit, session, version, oldest)
            await self._wishes.settle(unit, owner_id, wish, asdict(sent))
        await self._queue.enqueue(sent.task_id, 0)
        return sent

    async def rewrite(self, owner_id: str, wanted: Rewriting, wish: Wish | None = None) -> KeyRecord:
        """Give a message that waits another text, at its place and under its key; returns what the key says.

        The fingerprint of the key stays that of the send, so a repeat of it is still answered, not refused.
        Doing it again is harmless, also when the message was sent with this very text meanwhile. Raises
        InvalidInput as a send does, QueueFull, NotFound for a key that is no send of the owner's,
        RequestAccepted with the result when its turn came first, RequestWithdrawn, RequestEdited when
        another text waits than the one it `replaces`, and what `Wishes.accept` raises.
        """
        text = checked_text(wanted.text)
        async with self._store.write() as unit:
            earlier = await self._wishes.accept(unit, owner_id, wish)
            found = await self._locked(unit, owner_id, wanted.key)
            if earlier is not None:
                return found
            if found.state is KeyState.WITHDRAWN:
                raise RequestWithdrawn()
            if found.state is KeyState.QUEUED:
                await self._rewrite(unit, found, text, wanted.replaces)
            else:
                question = await unit.messages.by_client_id(owner_id, wanted.key)
                if question is None or question.text != text:
                    raise RequestAccepted(result=found.result)
            await self._wishes.settle(unit, owner_id, wish, found.result or {})
            return found

    async def advance(self, session_id: str) -> Sent | None:
        """Send the oldest message that waits if it is its turn; else change nothing and return None.

        Safe beside itself: of several one sends. The message goes to the end of the branch that is chosen.
        """
        async with self._store.read() as unit:
            oldest = await unit.queued.oldest(session_id)
            if oldest is None or not await _goes_on(unit, session_id):
                return None
        try:
            async with self._store.write() as unit:
                version = await unit.sessions.bump(session_id)
                session = await unit.sessions.get(oldest.owner_id, session_id)
                # All of it anew: a send, a removal or another process may have come before this lock.
                oldest = await unit.queued.oldest(session_id)
                if session is None or oldest is None or not await _goes_on(unit, session_id):
                    return None
                sent = await self._send(unit, session, version, oldest)
        except NotFound:
            return None
        await self._queue.enqueue(sent.task_id, 0)
        return sent

    async def advance_ready(self) -> int:
        """Go on with the queues whose runner died between the end of an answer and the next send; returns
        how many were sent."""
        async with self._store.read() as unit:
            ready = await unit.queued.ready(limit=BATCH)
        advanced = 0
        for session_id in ready:
            try:
                advanced += await self.advance(session_id) is not None
            except StoreUnavailable:
                raise
            except Exception:
                # One session's trouble must not keep the others waiting.
                _log.exception("the queue of session %s could not go on", session_id)
        return advanced

    async def _locked(self, unit: Unit, owner_id: str, key: str) -> KeyRecord:
        """What a key of a send says now; while that is `queued`, it stays so in this transaction."""
        found = await self._wishes.found(unit, owner_id, key)
        if found.state is KeyState.QUEUED:
            with suppress(NotFound):  # a session that was removed meanwhile took its queue along
                await unit.sessions.bump((found.result or {})["session_id"])
            found = await self._wishes.found(unit, owner_id, key)
        if found.kind not in (WishKind.SEND, None):
            raise NotFound()
        return found

    async def _rewrite(self, unit: Unit, found: KeyRecord, text: str, replaces: str | None) -> None:
        """The other text in; the session is locked, and the message waits."""
        session_id = (found.result or {})["session_id"]
        if await unit.sessions.get(found.owner_id, session_id) is None:
            raise NotFound()
        waiting = {each.key: each for each in await unit.queued.of_session(session_id)}
        before = waiting.pop(found.key)
        if replaces is not None and before.text not in (well_formed(replaces), text):
            raise RequestEdited(text=before.text)
        _check_room(*(each.text for each in waiting.values()), text)
        version = await unit.sessions.bump(session_id)
        await unit.queued.rewrite(found.owner_id, found.key, text, version=version)

    async def _send(self, unit: Unit, session: Session, version: int, message: QueuedMessage) -> Sent:
        """The row out, the turn in and the key settled; the session is locked and idle."""
        await unit.queued.take(message.owner_id, message.key)
        await configure(unit, session, message.model, message.parameters)
        parent_id = await unit.messages.end_of_branch(session.id, session.leaf_id)
        sent = await store_turn(
            unit, self._clock, session, version, key=message.key, text=message.text, parent_id=parent_id
        )
        await unit.keys.settle(message.owner_id, message.key, asdict(sent))
        return sent


async def must_wait(unit: Unit, session_id: str) -> bool:
    """Whether a message that may be queued is not sent at once: an answer is unfinished, or others wait."""
    return bool(await unit.tasks.unfinished(session_id)) or await unit.queued.oldest(session_id) is not None


async def put(unit: Unit, message: QueuedMessage) -> None:
    """Put a message at the end of its session's queue; the session is locked. Raises QueueFull."""
    waiting = await unit.queued.of_session(message.session_id)
    if len(waiting) >= MAX_QUEUED:
        raise QueueFull(f"{MAX_QUEUED} messages wait in this session; no more can.")
    _check_room(*(each.text for each in waiting), message.text)
    await unit.queued.add(message)


async def queue_of(unit: Unit, session_id: str) -> tuple[Queued, ...]:
    """The queue of a session as it is shown, oldest first."""
    waiting = await unit.queued.of_session(session_id)
    if not waiting:
        return ()
    paused = not (await unit.tasks.unfinished(session_id) or await _goes_on(unit, session_id))
    return tuple(Queued(each.key, each.text, each.position, each.created_at, paused) for each in waiting)


async def configure(
    unit: Unit, session: Session, model: str | None, parameters: dict[str, Any] | None
) -> None:
    """Set what a turn names for itself and all later ones; None leaves the session's own."""
    if model is not None or parameters is not None:
        await unit.sessions.configure(
            session.id,
            model=session.model if model is None else model,
            parameters=session.parameters if parameters is None else parameters,
        )


def _check_room(*texts: str) -> None:
    if sum(map(len, texts)) > MAX_QUEUED_CHARACTERS:
        raise QueueFull(f"What waits in a session has at most {MAX_QUEUED_CHARACTERS:,} characters together.")


async def _goes_on(unit: Unit, session_id: str) -> bool:
    """Whether the next message may be sent without the user: idle, and the last answer ended well."""
    if await unit.tasks.unfinished(session_id):
        return False
    last = await unit.tasks.last_ended(session_id)
    return last is not None and last.reason in GOES_ON
