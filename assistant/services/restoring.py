"""Restore: all that a page needs to stand where it stood, in one consistent read (DESIGN 7)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.domain.errors import LogUnavailable, NotFound
from assistant.domain.log import Folded, fold
from assistant.domain.message import Message
from assistant.domain.ports import StreamLog
from assistant.domain.session import Session, SessionState
from assistant.domain.store_ports import Store, Unit
from assistant.domain.summary import Summary
from assistant.domain.task import Task
from assistant.services.queueing import Queued, queue_of

PAGE_MESSAGES = 50

MOST_MESSAGES = 80
"""The longest stretch: so many messages a page shows at a time."""

MOST_FOLLOWED = MOST_MESSAGES + PAGE_MESSAGES
"""To so many messages a page grows that only follows, before it shows a new page of them."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Which messages of a branch a page shows, by the first and the last one, and the leaf it then had.

    A stretch whose last message was the leaf goes on to the leaf, whichever it is now.
    """

    first: str
    last: str
    leaf: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A stretch of the chosen branch, oldest first, with every unfinished task whole.

    An unfinished answer's text is the text so far; `folds` says, by task id, how far it goes. `queued` is
    what waits in the session, oldest first. `elsewhere` are the answers that are written beyond the stretch.
    `summary` is what a model is told in place of the oldest messages of the chosen branch.
    """

    session: Session
    messages: tuple[Message, ...]
    tasks: tuple[Task, ...]
    folds: dict[str, Folded]
    has_older: bool
    queued: tuple[Queued, ...] = ()
    elsewhere: frozenset[str] = frozenset()
    has_newer: bool = False
    summary: Summary | None = None

    @property
    def branch(self) -> tuple[Message, ...]:
        """The messages of the stretch alone."""
        return tuple(message for message in self.messages if message.id not in self.elsewhere)


@dataclass(frozen=True, slots=True)
class Changes:
    """The rows newer than a version; `session` is None when nothing changed.

    With a session, `queued` is all that waits in it and `summary` that of its chosen branch, changed or not:
    what is not there is gone.
    """

    version: int
    session: Session | None
    messages: tuple[Message, ...]
    tasks: tuple[Task, ...]
    folds: dict[str, Folded]
    removed: tuple[str, ...] = ()
    queued: tuple[Queued, ...] = ()
    summary: Summary | None = None


class Restoring:
    """The restore use case, for page and API alike."""

    def __init__(self, store: Store, log: StreamLog) -> None:
        self._store = store
        self._log = log

    async def snapshot(
        self,
        owner_id: str,
        session_id: str,
        *,
        limit: int = PAGE_MESSAGES,
        before: str | None = None,
        after: str | None = None,
        around: str | None = None,
        stretch: Stretch | None = None,
    ) -> Snapshot:
        """The last `limit` messages of the chosen branch, or those before the message `before`, or after the
        message `after`; or the message `around` with what stands above and below it, a page at least; or a
        `stretch` as it stood, if that is still to be had.

        Raises NotFound for a session, or a `before`, `after` or `around`, that is not the owner's or not of
        it, and for an `around` that is not on the chosen branch. With both a `stretch` and a `before` or
        `after` they are its next messages: NotFound too when another branch was chosen above its end
        meanwhile.
        """
        async with self._store.read() as unit:
            session = await unit.sessions.get(owner_id, session_id)
            if session is None:
                raise NotFound()
            leaf = await unit.messages.end_of_branch(session_id, session.leaf_id)
            if before is not None or after is not None:
                await _still_stands(unit, session, stretch, leaf)
            if before is not None:
                shown = await _before(unit, session, before, limit)
            elif after is not None:
                shown = await _after(unit, session, after, leaf, limit)
            elif around is not None:
                shown = await _around(unit, session, around, leaf)
            else:
                shown = await _standing(unit, session, stretch, leaf, limit)
            tasks = await unit.tasks.unfinished(session_id)
            stored = {task.id: await unit.tasks.stored(task.id) for task in tasks}
            found: list[Message] = []
            messages = list(shown.messages)
            if before is None and after is None:
                ids = {message.id for message in messages}
                beyond = [
                    await unit.messages.get(owner_id, task.answer_id)
                    for task in tasks
                    if task.answer_id not in ids
                ]
                found = [message for message in beyond if message]
                messages = sorted([*found, *messages], key=lambda message: message.position)
            queued = await queue_of(unit, session_id)
            summary = await unit.summaries.of_branch(session_id, leaf)
        folds = await self._folds(stored)
        return Snapshot(
            session,
            _with_text(messages, tasks, folds),
            tuple(tasks),
            folds,
            shown.has_older,
            queued,
            frozenset(message.id for message in found),
            shown.has_newer,
            summary,
        )

    async def changes(self, owner_id: str, session_id: str, since: int) -> Changes:
        """What changed after the version `since`; NotFound when the session is not the owner's."""
        async with self._store.read() as unit:
            session = await unit.sessions.get(owner_id, session_id)
            if session is None:
                raise NotFound()
            if session.version <= since:
                return Changes(session.version, None, (), (), {})
            messages = await unit.messages.changed_since(session_id, since)
            tasks = await unit.tasks.changed_since(session_id, since)
            stored = {task.id: await unit.tasks.stored(task.id) for task in tasks if not task.closed}
            queued = await queue_of(unit, session_id)
            leaf = await unit.messages.end_of_branch(session_id, session.leaf_id)
            summary = await unit.summaries.of_branch(session_id, leaf)
        folds = await self._folds(stored)
        shown = _with_text(messages, tasks, folds)
        return Changes(session.version, session, shown, tuple(tasks), folds, queued=queued, summary=summary)

    async def message(self, owner_id: str, message_id: str) -> Message:
        """One message whole, as it is stored; NotFound when it is not the owner's."""
        async with self._store.read() as unit:
            message = await unit.messages.get(owner_id, message_id)
        if message is None:
            raise NotFound()
        return message

    async def ended(self, owner_id: str, answer_ids: list[str]) -> list[Task]:
        """The newest task of each answer that has ended, for the rows of a page."""
        async with self._store.read() as unit:
            return [task for task in await unit.tasks.of_answers(owner_id, answer_ids) if task.closed]

    async def final(self, task_id: str) -> Folded:
        """The stored text of a task that has ended; the caller has checked its owner."""
        async with self._store.read() as unit:
            return await unit.tasks.stored(task_id)

    async def sessions(
        self,
        owner_id: str,
        *,
        limit: int = 50,
        before: tuple[datetime, str] | None = None,
        state: SessionState = SessionState.ACTIVE,
    ) -> list[Session]:
        """The owner's sessions in a state by last activity, newest first."""
        async with self._store.read() as unit:
            return await unit.sessions.recent(owner_id, limit=limit, before=before, state=state)

    async def _folds(self, stored: dict[str, Folded]) -> dict[str, Folded]:
        folds = dict(stored)
        try:
            for task_id, start in stored.items():
                folds[task_id] = fold(start, await self._log.after(task_id, start.position))
        except LogUnavailable:
            pass  # the rows are the second tier; followers say the rest when the log is back
        return folds


@dataclass(frozen=True, slots=True)
class _Shown:
    messages: Sequence[Message]
    has_older: bool
    has_newer: bool


async def _before(unit: Unit, session: Session, before: str, limit: int) -> _Shown:
    anchor = await _of_session(unit, session, before)
    if anchor.parent_id is None:
        return _Shown((), has_older=False, has_newer=True)
    return _Shown(*await unit.messages.branch(session.id, anchor.parent_id, limit=limit), has_newer=True)


async def _after(unit: Unit, session: Session, after: str, leaf: str | None, limit: int) -> _Shown:
    anchor = await _of_session(unit, session, after)
    messages = await unit.messages.below(anchor, leaf or after, limit=limit)
    if messages is None:
        raise NotFound()
    last = messages[-1].id if messages else after
    return _Shown(messages, has_older=True, has_newer=last != leaf)


async def _around(unit: Unit, session: Session, around: str, leaf: str | None) -> _Shown:
    anchor = await _of_session(unit, session, around)
    leaf = leaf or around
    if await unit.messages.below(anchor, leaf, limit=0) is None:
        raise NotFound()
    below = await unit.messages.below(anchor, leaf, limit=PAGE_MESSAGES) or []
    above = max(MOST_MESSAGES - PAGE_MESSAGES, PAGE_MESSAGES - len(below))
    to_anchor, older = await unit.messages.branch(session.id, around, limit=above)
    messages = [*to_anchor, *below]
    return _Shown(messages, has_older=older, has_newer=messages[-1].id != leaf)


async def _standing(
    unit: Unit, session: Session, stretch: Stretch | None, leaf: str | None, limit: int
) -> _Shown:
    if stretch is not None and leaf is not None:
        last = leaf if stretch.last == stretch.leaf else stretch.last
        if await _is_on_branch(unit, session, stretch, last, leaf):
            messages, older = await unit.messages.branch(session.id, last, limit=MOST_FOLLOWED)
            ids = [message.id for message in messages]
            first = ids.index(stretch.first) if stretch.first in ids else 0
            return _Shown(messages[first:], has_older=older or first > 0, has_newer=last != leaf)
    return _Shown(*await unit.messages.branch(session.id, session.leaf_id, limit=limit), has_newer=False)


async def _still_stands(unit: Unit, session: Session, stretch: Stretch | None, leaf: str | None) -> None:
    """Pages beside a stretch do not ask again whether it is of the branch: they would go on where it was."""
    if stretch is None or leaf is None:
        return
    if not await _is_on_branch(unit, session, stretch, stretch.last, leaf):
        raise NotFound()


async def _is_on_branch(unit: Unit, session: Session, stretch: Stretch, last: str, leaf: str) -> bool:
    """Only a branch that grew, or was left for another one, has to be walked."""
    if leaf in (last, stretch.leaf):
        return True
    message = await unit.messages.get(session.owner_id, last)
    if message is None or message.session_id != session.id:
        return False
    return await unit.messages.below(message, leaf, limit=0) is not None


async def _of_session(unit: Unit, session: Session, message_id: str) -> Message:
    message = await unit.messages.get(session.owner_id, message_id)
    if message is None or message.session_id != session.id:
        raise NotFound()
    return message


def _with_text(messages: list[Message], tasks: list[Task], folds: dict[str, Folded]) -> tuple[Message, ...]:
    """The messages, each unfinished answer with the text so far."""
    now = {task.answer_id: folds[task.id].transcript for task in tasks if task.id in folds}
    return tuple(
        replace(message, text=now[message.id].text, parts=now[message.id].parts)
        if message.id in now
        else message
        for message in messages
    )
