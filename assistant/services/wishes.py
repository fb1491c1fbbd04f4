"""Every wish once: idempotency keys for whatever the user can ask for (DESIGN 8).

    (no row) ──accept──▶ accepted(result)        same key, same body: the first result
        │                    ▲
        ├──accept──▶ queued ─┘ its turn          a send that waits in a busy session
        │               └────withdraw──┐
        └────withdraw──────────▶ withdrawn       the wish under it is refused for ever

The key row is inserted before anything else is touched, so of two rivals one waits and then sees the
other's outcome. Only accepted effects and withdrawals store a key; a refusal rolls it back. A queued key
is moved by whoever has bumped its session and taken its message out of the queue.
"""

import hashlib
import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

from assistant.domain.errors import (
    InvalidInput,
    KeyReused,
    NotFound,
    RequestAccepted,
    RequestWithdrawn,
)
from assistant.domain.ports import Clock
from assistant.domain.records import KeyRecord, KeyState, Owner, OwnerKind, Wish, WishKind
from assistant.domain.store_ports import Store, Unit

MAX_KEY_CHARACTERS = 200


def fingerprint(route: str, body: dict[str, Any]) -> str:
    """SHA-256 of the route and the validated body as sorted JSON."""
    shape = json.dumps([route, body], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(shape.encode()).hexdigest()


def wish_about(kind: WishKind, about_id: str, key: str | None) -> Wish | None:
    """A wish about a task or a session, the same from page and API; None without a key, where one is not
    required."""
    return None if key is None else Wish(kind, key, fingerprint(kind.value, {"id": about_id}))


class Wishes:
    """The one mechanism behind sends, stops, retries, decisions, uploads and what is done to a session."""

    def __init__(self, store: Store, clock: Clock, *, ttl_seconds: float) -> None:
        self._store = store
        self._clock = clock
        self._ttl = timedelta(seconds=ttl_seconds)

    async def accept(self, unit: Unit, owner_id: str, wish: Wish | None) -> dict[str, Any] | None:
        """Insert the key of a new wish, or return the result of the same wish carried out before.

        None: the wish is new, carry it out in this transaction and `settle` it. A wish without a key
        is always new. Raises KeyReused for another body under the key, RequestWithdrawn for a
        withdrawn one.
        """
        if wish is None:
            return None
        check_key(wish.key)
        await unit.owners.add(Owner(owner_id, OwnerKind.ANONYMOUS, None, self._clock.now()))
        record = self._record(owner_id, wish.key, KeyState.ACCEPTED, wish.kind, wish.fingerprint)
        if not await unit.keys.insert(record):
            return _earlier(await unit.keys.get(owner_id, wish.key), wish)
        if wish.kind is not WishKind.SEND:
            return None
        sent = await _sent_before(unit, owner_id, wish.key)
        if sent is not None:
            await self.settle(unit, owner_id, wish, sent)
        return sent

    async def settle(
        self,
        unit: Unit,
        owner_id: str,
        wish: Wish | None,
        result: dict[str, Any],
        *,
        state: KeyState = KeyState.ACCEPTED,
    ) -> None:
        """Keep the result reference of a wish that was carried out, or queued, in this transaction."""
        if wish is not None:
            await unit.keys.settle(owner_id, wish.key, result, state=state)

    async def withdraw(self, owner_id: str, key: str) -> KeyRecord:
        """Make sure that the wish under `key` is never carried out; doing it again is harmless.

        A queued send is taken out of its queue. Of a wish and its withdrawal one wins: RequestAccepted,
        with the result, when it was the wish.
        """
        check_key(key)
        async with self._store.write() as unit:
            await unit.owners.add(Owner(owner_id, OwnerKind.ANONYMOUS, None, self._clock.now()))
            record = self._record(owner_id, key, KeyState.WITHDRAWN, None, None)
            if not await unit.keys.insert(record):
                found = await unit.keys.get(owner_id, key)
                if found is not None and found.state is KeyState.QUEUED:
                    found = await _taken_back(unit, found)
                if found is not None and found.state is KeyState.ACCEPTED:
                    raise RequestAccepted(result=found.result)
                return found or record
            sent = await _sent_before(unit, owner_id, key)
            if sent is not None:
                raise RequestAccepted(result=sent)
            return record

    async def ask(self, owner_id: str, key: str) -> KeyRecord:
        """What became of a key. A send is found by its message even when its key has expired.

        NotFound when nothing was accepted or withdrawn under it.
        """
        async with self._store.read() as unit:
            return await self.found(unit, owner_id, key)

    async def found(self, unit: Unit, owner_id: str, key: str) -> KeyRecord:
        """As `ask`, in a transaction."""
        found = await unit.keys.get(owner_id, key)
        if found is not None:
            return found
        sent = await _sent_before(unit, owner_id, key)
        if sent is None:
            raise NotFound()
        return KeyRecord(owner_id, key, WishKind.SEND, None, KeyState.ACCEPTED, sent, self._clock.now())

    def _record(
        self,
        owner_id: str,
        key: str,
        state: KeyState,
        kind: WishKind | None,
        print_: str | None,
    ) -> KeyRecord:
        return KeyRecord(owner_id, key, kind, print_, state, None, self._clock.now() + self._ttl)


def check_key(key: str) -> None:
    """Raise InvalidInput unless the key is 1 to 200 printable ASCII characters."""
    if not 1 <= len(key) <= MAX_KEY_CHARACTERS or not (key.isascii() and key.isprintable()):
        raise InvalidInput(f"An idempotency key has 1 to {MAX_KEY_CHARACTERS} printable ASCII characters.")


def _earlier(found: KeyRecord | None, wish: Wish) -> dict[str, Any]:
    if found is None:
        raise InvalidInput("The idempotency key expired at this moment; mint a new one.", rule="key_expired")
    if found.state is KeyState.WITHDRAWN:
        raise RequestWithdrawn()
    # A send whose message is gone has no fingerprint any more; as before it went, none is asked for then.
    forgotten = found.fingerprint is None and found.kind is wish.kind
    if not forgotten and found.fingerprint != wish.fingerprint:
        raise KeyReused()
    return found.result or {}


async def _taken_back(unit: Unit, queued: KeyRecord) -> KeyRecord | None:
    """The key of a queued send, withdrawn, unless its turn came before the session was locked here."""
    with suppress(NotFound):  # a session that was removed meanwhile took its queue along
        await unit.sessions.bump((queued.result or {})["session_id"])
    if await unit.queued.take(queued.owner_id, queued.key):
        await unit.keys.settle(queued.owner_id, queued.key, None, state=KeyState.WITHDRAWN)
    return await unit.keys.get(queued.owner_id, queued.key)


async def _sent_before(unit: Unit, owner_id: str, key: str) -> dict[str, Any] | None:
    """The result of a send whose key was swept: its message carries the key for ever (Case B102)."""
    question = await unit.messages.by_client_id(owner_id, key)
    if question is None:
        return None
    task = await unit.tasks.first_of_question(question.id)
    if task is None:
        return None
    return {
        "session_id": question.session_id,
        "message_id": question.id,
        "answer_id": task.answer_id,
        "task_id": task.id,
    }
