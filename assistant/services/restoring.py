"""Restore: all that a page needs to stand where it stood, in one consistent read (DESIGN 7)."""

from dataclasses import dataclass, replace
from datetime import datetime

from assistant.domain.errors import LogUnavailable, NotFound
from assistant.domain.log import Folded, fold
from assistant.domain.message import Message
from assistant.domain.ports import StreamLog
from assistant.domain.session import Session, SessionState
from assistant.domain.store_ports import Store
from assistant.domain.task import Task
from assistant.services.queueing import Queued, queue_of

PAGE_MESSAGES = 50


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page of the chosen branch, oldest first, with every unfinished task whole.

    An unfinished answer's text is the text so far; `folds` says, by task id, how far it goes. `queued` is
    what waits in the session, oldest first. `elsewhere` are the answers that are written on other branches.
    """

    session: Session
    messages: tuple[Message, ...]
    tasks: tuple[Task, ...]
    folds: dict[str, Folded]
    has_older: bool
    queued: tuple[Queued, ...] = ()
    elsewhere: frozenset[str] = frozenset()

    @property
    def branch(self) -> tuple[Message, ...]:
        """The messages of the chosen branch alone."""
        return tuple(message for message in self.messages if message.id not in self.elsewhere)


@dataclass(frozen=True, slots=True)
class Changes:
    """The rows newer than a version; `session` is None when nothing changed.

    With a session, `queued` is all that waits in it, changed or not: what is not there is gone.
    """

    version: int
    session: Session | None
    messages: tuple[Message, ...]
    tasks: tuple[Task, ...]
    folds: dict[str, Folded]
    removed: tuple[str, ...] = ()
    queued: tuple[Queued, ...] = ()


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
    ) -> Snapshot:
        """The last `limit` messages of the chosen branch, or those before the message `before`.

        Raises NotFound for a session, or a `before`, that is not the owner's or not of the session.
        """
        async with self._store.read() as unit:
            session = await unit.sessions.get(owner_id, session_id)
            if session is None:
                raise NotFound()
            leaf, wanted = session.leaf_id, limit
            if before is not None:
                anchor = await unit.messages.get(owner_id, before)
                if anchor is None or anchor.session_id != session_id:
                    raise NotFound()
                leaf, wanted = anchor.parent_id, limit if anchor.parent_id else 0
            messages, older = (
                await unit.messages.branch(session_id, leaf, limit=wanted) if wanted else ([], False)
            )
            tasks = await unit.tasks.unfinished(session_id)
            stored = {task.id: await unit.tasks.stored(task.id) for task in tasks}
            found: list[Message] = []
            if before is None:
                shown = {message.id for message in messages}
                beyond = [
                    await unit.messages.get(owner_id, task.answer_id)
                    for task in tasks
                    if task.answer_id not in shown
                ]
                found = [message for message in beyond if message]
                messages = sorted([*found, *messages], key=lambda message: message.position)
            queued = await queue_of(unit, session_id)
        folds = await self._folds(stored)
        return Snapshot(
            session,
            _with_text(messages, tasks, folds),
            tuple(tasks),
            folds,
            older,
            queued,
            frozenset(message.id for message in found),
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
        folds = await self._folds(stored)
        shown = _with_text(messages, tasks, folds)
        return Changes(session.version, session, shown, tuple(tasks), folds, queued=queued)

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


def _with_text(messages: list[Message], tasks: list[Task], folds: dict[str, Folded]) -> tuple[Message, ...]:
    """The messages, each unfinished answer with the text so far."""
    now = {task.answer_id: folds[task.id].transcript for task in tasks if task.id in folds}
    return tuple(
        replace(message, text=now[message.id].text, parts=now[message.id].parts)
        if message.id in now
        else message
        for message in messages
    )
