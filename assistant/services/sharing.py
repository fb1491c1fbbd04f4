"""Share a session by a link, take the link back, and read through it.

    share    the session's one link, made or as it is; says what readers see of tool calls
    revoke   from its commit on the link is as if it never was, for open pages too
    read     snapshot and watch, by the token alone: no owner, no cookie, and nothing that changes anything

A token that is unknown, revoked, or of a deleted session is NotFound, one like the other.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from assistant.domain.errors import NotFound
from assistant.domain.frames import Place
from assistant.domain.ports import Clock
from assistant.domain.records import Wish, WishKind
from assistant.domain.share import Share
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import Task
from assistant.services.restoring import PAGE_MESSAGES, Restoring
from assistant.services.share_tokens import ShareTokens
from assistant.services.shared_view import SharedSnapshot, message_as_shared, task_as_shared
from assistant.services.shared_watch import CHECK_SECONDS, SharedWatch
from assistant.services.watching import Watching
from assistant.services.wishes import Wishes, fingerprint


def wish_to_share(key: str | None, session_id: str, *, with_arguments: bool) -> Wish | None:
    """The wish to share a session, the same from page and API; None without a key."""
    if key is None:
        return None
    kind = WishKind.SHARE
    body = {"id": session_id, "with_arguments": with_arguments}
    return Wish(kind, key, fingerprint(kind.value, body))


class Sharing:
    """The share use cases, for page and API alike."""

    def __init__(
        self,
        store: Store,
        wishes: Wishes,
        clock: Clock,
        restoring: Restoring,
        watching: Watching,
        tokens: ShareTokens,
        *,
        check_seconds: float = CHECK_SECONDS,
    ) -> None:
        self._store = store
        self._wishes = wishes
        self._clock = clock
        self._restoring = restoring
        self._watching = watching
        self._tokens = tokens
        self._check_seconds = check_seconds

    async def share(
        self, owner_id: str, session_id: str, *, with_arguments: bool, wish: Wish | None = None
    ) -> Share:
        """The session's link: the one that it has, else a new one; `with_arguments` holds for it from now on.

        The same wish again gives the same share, as it stands then. Raises NotFound for a session that is
        not the owner's, and what `Wishes.accept` raises.
        """
        async with self._store.write() as unit:
            earlier = await self._wishes.accept(unit, owner_id, wish)
            if earlier is not None:
                share = await unit.shares.get(owner_id, earlier["share_id"])
                if share is None:
                    raise NotFound()
                return share
            version = await self._bumped(unit, owner_id, session_id)
            share = await unit.shares.of_session(owner_id, session_id)
            if share is None:
                now = self._clock.now()
                share = Share(self._clock.id(), session_id, owner_id, with_arguments, version, now)
                await unit.shares.add(share)
            elif share.with_arguments != with_arguments:
                await unit.shares.allow_arguments(share.id, with_arguments, version=version)
                share = replace(share, with_arguments=with_arguments, version=version)
            result = {"session_id": session_id, "share_id": share.id}
            await self._wishes.settle(unit, owner_id, wish, result)
            return share

    async def revoke(self, owner_id: str, session_id: str, wish: Wish | None = None) -> None:
        """End the session's link, if it has one; sharing it again gives another.

        Raises NotFound for a session that is not the owner's, and what `Wishes.accept` raises.
        """
        async with self._store.write() as unit:
            if await self._wishes.accept(unit, owner_id, wish) is not None:
                return
            version = await self._bumped(unit, owner_id, session_id)
            share = await unit.shares.of_session(owner_id, session_id)
            if share is not None:
                await unit.shares.revoke(share.id, at=self._clock.now(), version=version)
            await self._wishes.settle(unit, owner_id, wish, {"session_id": session_id})

    async def of_session(self, owner_id: str, session_id: str) -> Share:
        """The session's link; NotFound when it has none, or is not the owner's."""
        async with self._store.read() as unit:
            share = await unit.shares.of_session(owner_id, session_id)
        if share is None:
            raise NotFound()
        return share

    def token(self, share: Share) -> str:
        """The token of a share."""
        return self._tokens.token(share.id)

    async def find(self, token: str) -> Share:
        """The share of a token; NotFound when it does not count (any more)."""
        async with self._store.read() as unit:
            share = await unit.shares.readable(self._tokens.share_id(token))
        if share is None:
            raise NotFound()
        return share

    async def snapshot(
        self, token: str, *, limit: int = PAGE_MESSAGES, before: str | None = None
    ) -> SharedSnapshot:
        """The last `limit` messages of the chosen branch, or those before the message `before`.

        Raises NotFound for a token that does not count, and for a `before` that is not of the session.
        """
        share = await self.find(token)
        owner_id, session_id = share.owner_id, share.session_id
        found = await self._restoring.snapshot(owner_id, session_id, limit=limit, before=before)
        answers = [message.id for message in found.branch if message.task_id]
        ended = await self._restoring.ended(owner_id, answers)
        tasks = [*(task for task in found.tasks if task.answer_id in answers), *ended]
        return SharedSnapshot(
            share,
            found.session.title,
            found.session.version,
            found.session.leaf_id,
            tuple(message_as_shared(message) for message in found.branch),
            tuple(task_as_shared(task, with_arguments=share.with_arguments) for task in tasks),
            {task.id: found.folds[task.id] for task in tasks if task.id in found.folds},
            found.has_older,
        )

    @asynccontextmanager
    async def watch(
        self, token: str, snapshot: SharedSnapshot, told: list[tuple[Task, Place]]
    ) -> AsyncGenerator[SharedWatch]:
        """Watch from a snapshot on, as `Watching.open`, for as long as the token counts."""
        share = snapshot.share
        watching = self._watching.open(share.owner_id, share.session_id, snapshot.version, told)
        async with watching as watch:
            yield SharedWatch(lambda: self.find(token), snapshot, watch, self._check_seconds)

    async def _bumped(self, unit: Unit, owner_id: str, session_id: str) -> int:
        version = await unit.sessions.bump(session_id, owner_id=owner_id)
        if await unit.sessions.get(owner_id, session_id) is None:
            raise NotFound()
        return version
