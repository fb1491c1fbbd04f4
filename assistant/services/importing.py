"""Import a session from a file: a new session of whoever imports it, with new ids and the original times.

    built in parts, hidden as deleted ──▶ shown, with the wish settled, in one transaction
            │
            └─ died half way: removed by the reconciler, as a deleted session is

A file may be long, and no transaction holds the others up for all of it. What ran when the file was written
is ended; calls are history, whatever the file says of them: none is run, and nobody is asked about one.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from assistant.domain.errors import AssistantError, NotFound
from assistant.domain.ports import Clock
from assistant.domain.records import Owner, OwnerKind, Wish, WishKind
from assistant.domain.session import Session, SessionEvent, SessionState
from assistant.domain.store_ports import Store, Unit
from assistant.services.choices import ANYTHING, Choices
from assistant.services.imported_rows import Rows
from assistant.services.session_file import Answer, Parameters, SessionFile
from assistant.services.session_rules import check
from assistant.services.wishes import Wishes, check_key, fingerprint

BATCH = 100
BUILDING = timedelta(hours=1)
"""Longer than any import takes: what is not shown by then is removed."""


def wish_to_import(key: str | None, file: SessionFile) -> Wish | None:
    """The wish to import a file, the same from page and API; None without a key."""
    if key is None:
        return None
    body = hashlib.sha256(file.model_dump_json().encode()).hexdigest()
    return Wish(WishKind.IMPORT, key, fingerprint(WishKind.IMPORT.value, {"file": body}))


class Importing:
    """The import use case."""

    def __init__(
        self,
        store: Store,
        wishes: Wishes,
        clock: Clock,
        *,
        choices: Choices = ANYTHING,
    ) -> None:
        self._store = store
        self._wishes = wishes
        self._clock = clock
        self._choices = choices
        self._one_at_a_time = asyncio.Lock()

    async def import_file(self, owner_id: str, file: SessionFile, wish: Wish | None = None) -> Session:
        """Make a session of the file, once under a key; returns it, active.

        A model and tools that are not here are left out. Raises InvalidInput with the places of what breaks a
        rule, NotFound when the session of an earlier import under the key is gone, and what
        `Wishes.accept` raises.
        """
        check(file)
        earlier = await self._earlier(owner_id, wish)
        if earlier is not None:
            return earlier
        async with self._one_at_a_time:
            session_id = await self._begin(owner_id, file)
            try:
                ids = await self._fill(owner_id, session_id, file)
                leaf = file.session.leaf
                return await self._show(owner_id, session_id, None if leaf is None else ids[leaf - 1], wish)
            except AssistantError:
                with suppress(AssistantError):
                    await self._discard(session_id)
                raise

    async def _earlier(self, owner_id: str, wish: Wish | None) -> Session | None:
        """What the same wish made before, so that a repeat builds nothing. The last word is `_show`'s."""
        if wish is None:
            return None
        check_key(wish.key)
        async with self._store.read() as unit:
            known = await unit.keys.get(owner_id, wish.key)
            if known is None or known.fingerprint != wish.fingerprint or not known.result:
                return None
            return await _session(unit, owner_id, known.result["session_id"])

    async def _begin(self, owner_id: str, file: SessionFile) -> str:
        now, about = self._clock.now(), file.session
        session = Session(
            id=self._clock.id(),
            owner_id=owner_id,
            state=SessionState.ACTIVE,
            title=about.title,
            model=_known(about.model, self._choices.models() or None),
            leaf_id=None,
            version=0,
            created_at=about.created_at,
            updated_at=about.updated_at,
            parameters=self._parameters(about.parameters),
        )
        async with self._store.write() as unit:
            await unit.owners.add(Owner(owner_id, OwnerKind.ANONYMOUS, None, now))
            await unit.sessions.add(session)
            await unit.sessions.bump(session.id)
            await unit.sessions.move(session.id, SessionEvent.DELETE, at=now + BUILDING)
        return session.id

    def _parameters(self, given: Parameters) -> dict[str, Any]:
        parameters = given.model_dump(exclude_none=True)
        if given.tools is not None:
            parameters["tools"] = [name for name in given.tools if _known(name, self._choices.tools)]
        return parameters

    async def _fill(self, owner_id: str, session_id: str, file: SessionFile) -> list[str]:
        """Store the messages, some at a time; returns their ids by number."""
        ids = [self._clock.id() for _ in file.messages]
        rows = Rows(owner_id, session_id, ids, self._clock)
        for begin in range(0, len(ids), BATCH):
            async with self._store.write() as unit:
                version = await unit.sessions.bump(session_id)
                said, ended = [], []
                for piece in file.messages[begin : begin + BATCH]:
                    task = rows.task(piece, version) if isinstance(piece, Answer) else None
                    said.append(rows.message(piece, version, task.tool_calls if task else ()))
                    ended += [task] if task else []
                await unit.imported.add(owner_id, session_id, said, ended)
        return ids

    async def _show(self, owner_id: str, session_id: str, leaf_id: str | None, wish: Wish | None) -> Session:
        now = self._clock.now()
        async with self._store.write() as unit:
            earlier = await self._wishes.accept(unit, owner_id, wish)
            await unit.sessions.bump(session_id)
            await unit.sessions.move(session_id, SessionEvent.UNDO, at=now)
            if earlier is not None:
                await unit.sessions.move(session_id, SessionEvent.DELETE, at=now - BUILDING)
                return await _session(unit, owner_id, earlier["session_id"])
            if leaf_id is not None:
                await unit.sessions.choose_leaf(session_id, leaf_id)
            await self._wishes.settle(unit, owner_id, wish, {"session_id": session_id})
            return await _session(unit, owner_id, session_id)

    async def _discard(self, session_id: str) -> None:
        """Have it removed in the next pass, and not in an hour."""
        now = self._clock.now()
        async with self._store.write() as unit:
            await unit.sessions.bump(session_id)
            await unit.sessions.move(session_id, SessionEvent.UNDO, at=now)
            await unit.sessions.move(session_id, SessionEvent.DELETE, at=now - BUILDING)


def _known(name: str | None, there: Sequence[str] | None) -> str | None:
    """The name if it is one of those that there are; without a list, any is."""
    return name if there is None or name in there else None


async def _session(unit: Unit, owner_id: str, session_id: str) -> Session:
    session = await unit.sessions.get(owner_id, session_id)
    if session is None:
        raise NotFound()
    return session
