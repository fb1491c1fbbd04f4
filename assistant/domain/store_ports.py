"""The seam to storage: one repository a noun, the transaction that holds them, and the store.

Adapters implement these protocols and are wired in `bootstrap`; siblings never import each other.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol

from assistant.domain.log import Folded
from assistant.domain.message import Message
from assistant.domain.records import (
    KeyRecord,
    KeyState,
    Note,
    Owner,
    QueuedMessage,
    StoredDraft,
    WorkerBeat,
)
from assistant.domain.session import Session, SessionEvent, SessionState
from assistant.domain.task import Task, TaskError, TaskReason, TaskState
from assistant.domain.transcript import Transcript


class Owners(Protocol):
    async def get(self, owner_id: str) -> Owner | None: ...
    async def add(self, owner: Owner) -> None:
        """Insert, unless it exists already."""
        ...


class Sessions(Protocol):
    async def add(self, session: Session) -> None: ...

    async def get(self, owner_id: str, session_id: str) -> Session | None:
        """The session if it is this owner's and not deleted."""
        ...

    async def bump(self, session_id: str) -> int:
        """Raise the version and return it: the first statement of every write transaction of a
        session, which makes them happen one after the other. NotFound when there is no such row.
        Registers the change for announcement after the commit."""
        ...

    async def version(self, session_id: str) -> int | None:
        """The version now, whoever owns it: for followers that compare. None when there is no row."""
        ...

    async def recent(
        self,
        owner_id: str,
        *,
        limit: int,
        before: tuple[datetime, str] | None = None,
        state: SessionState = SessionState.ACTIVE,
    ) -> list[Session]:
        """Sessions in a state by last activity, newest first; `before` is (updated_at, id) of the last
        seen."""
        ...

    async def configure(self, session_id: str, *, model: str | None, parameters: dict[str, Any]) -> None:
        """Set the model and parameters that the session's next turns use."""
        ...

    async def rename(self, session_id: str, title: str) -> None: ...

    async def choose_leaf(self, session_id: str, leaf_id: str) -> None:
        """Show the branch that ends at this message, and remember that it was the last one chosen."""
        ...

    async def touch(self, session_id: str, *, at: datetime, title: str | None = None) -> None:
        """Set the time of last activity, and the title when one is given."""
        ...

    async def move(self, session_id: str, event: SessionEvent, *, at: datetime) -> bool:
        """One move of the session's machine, by a conditional UPDATE; says whether it won. A deletion
        keeps its time."""
        ...

    async def may_return(self, owner_id: str, session_id: str, *, deleted_after: datetime) -> bool:
        """Whether the session is this owner's and was deleted later than that: an undo finds it."""
        ...

    async def deleted_before(self, moment: datetime, *, limit: int) -> list[str]:
        """The sessions deleted at or before a moment, whoever owned them, oldest deletion first."""
        ...

    async def remove(self, session_id: str, *, deleted_before: datetime) -> bool:
        """Take the row and everything of it away, if it was deleted at or before that; says whether. The
        keys of messages that were still queued are withdrawn by it."""
        ...


class Messages(Protocol):
    async def add(self, message: Message) -> Message:
        """Store it with the next position of its session; returns it with that position."""
        ...

    async def get(self, owner_id: str, message_id: str) -> Message | None: ...

    async def by_client_id(self, owner_id: str, client_id: str) -> Message | None: ...

    async def branch(self, session_id: str, leaf_id: str | None, *, limit: int) -> tuple[list[Message], bool]:
        """The last `limit` messages of the branch that ends at `leaf_id`, oldest first, and whether
        older ones exist. Broken references are walked around (Case B059): a dangling leaf falls back
        to the newest message, a cycle ends the walk."""
        ...

    async def end_of_branch(self, session_id: str, leaf_id: str | None) -> str | None:
        """The id of the message to which the next one is added: the leaf if it is a message of the
        session, else its newest message, else None (Cases B055, B059)."""
        ...

    async def last_below(self, session_id: str, message_id: str) -> str | None:
        """The message with which a branch through this one ends: of those below it (itself among them)
        the one that was chosen last, else the newest. None when it is no message of the session."""
        ...

    async def changed_since(self, session_id: str, version: int) -> list[Message]: ...

    async def fill(self, message_id: str, transcript: Transcript, version: int) -> None:
        """Store the answer's text and parts at a step border, a park or the end."""
        ...


class Tasks(Protocol):
    """Every move is one conditional UPDATE checked by its row count; a bool says whether it won."""

    async def add(self, task: Task, seed: Transcript = ...) -> None: ...

    async def get(self, owner_id: str, task_id: str) -> Task | None: ...

    async def find(self, task_id: str) -> Task | None:
        """The task whoever owns it: for the runner and the reconciler only."""
        ...

    async def of_answers(self, owner_id: str, answer_ids: Sequence[str]) -> list[Task]:
        """The tasks of these answers, as far as they are this owner's, oldest first."""
        ...

    async def first_of_question(self, question_id: str) -> Task | None:
        """The task that the send of this message made."""
        ...

    async def unfinished(self, session_id: str) -> list[Task]: ...

    async def last_ended(self, session_id: str) -> Task | None:
        """The task of a session that ended last, on whichever branch."""
        ...

    async def changed_since(self, session_id: str, version: int) -> list[Task]: ...

    async def stored(self, task_id: str) -> Folded:
        """The task row's text, parts and log position, as the start of a fold. For a terminal task
        the message row's text with `closed` set."""
        ...

    async def claim(
        self, task_id: str, worker_id: str, state: TaskState, *, limit: int, version: int
    ) -> Task | None:
        """`attempt + 1`, `worker = worker_id`, state to `state`, when nobody holds it, no stop was
        asked for, it is claimable, and its owner runs fewer than `limit` others (DESIGN 6, Claim)."""
        ...

    async def release(self, task_id: str, attempt: int) -> bool:
        """`worker = NULL` by attempt: rescue and handover."""
        ...

    async def snapshot(self, task_id: str, attempt: int, folded: Folded) -> bool:
        """Text, parts, offset and log position of a running attempt; raises no version."""
        ...

    async def request_stop(self, task_id: str, *, at: datetime, version: int) -> Task | None:
        """Stop is a claim: `attempt + 1, worker = NULL, stop_requested_at` from any state that is not
        terminal; None when it already ended. A stop asked for before keeps its time."""
        ...

    async def end(
        self,
        task_id: str,
        attempt: int,
        state: TaskState,
        reason: TaskReason,
        *,
        at: datetime,
        version: int,
        transcript: Transcript,
        error: TaskError | None = None,
        usage: dict[str, Any] | None = None,
    ) -> bool:
        """Terminal state by attempt, and the answer's message filled, in this transaction; the task
        row's own text is emptied. A task with `stop_requested_at` only ends as done(stopped).
        Its calls that are requested become failed(stopped), those executing failed(lost)."""
        ...

    async def held_by(self, worker_id: str) -> list[Task]: ...

    async def unheld(self, *, limit: int, owner_limit: int) -> list[Task]:
        """Claimable tasks that nobody holds and no one asked to stop, oldest first: of each owner only
        as many as may run beside those that do."""
        ...

    async def half_stopped(self, *, limit: int) -> list[Task]:
        """Tasks with `stop_requested_at` that are not terminal yet."""
        ...

    async def held_by_unknown(self) -> list[Task]:
        """Running tasks whose worker has no row."""
        ...


class Keys(Protocol):
    async def insert(self, record: KeyRecord) -> bool:
        """Insert, unless the owner already has this key: then False. Waits for a rival's commit."""
        ...

    async def get(self, owner_id: str, key: str) -> KeyRecord | None: ...

    async def settle(
        self,
        owner_id: str,
        key: str,
        result: dict[str, Any] | None,
        *,
        state: KeyState = KeyState.ACCEPTED,
    ) -> None:
        """Set the result reference and the state of a key inserted in this transaction, or of a queued one
        whose session was bumped in it."""
        ...

    async def sweep(self, *, now: datetime) -> int:
        """Delete the expired ones; returns how many."""
        ...

    async def keep_sends(self, session_id: str) -> None:
        """Have the keys of all sends of a session last for ever, those that were swept anew: its messages,
        which remember them else, are about to go."""
        ...


class QueuedMessages(Protocol):
    """The queues of sessions; whoever writes has bumped the session in the same transaction."""

    async def add(self, message: QueuedMessage) -> QueuedMessage:
        """Put it at the end of its session's queue; returns it with its position."""
        ...

    async def of_session(self, session_id: str) -> list[QueuedMessage]:
        """The queue of a session, oldest first."""
        ...

    async def oldest(self, session_id: str) -> QueuedMessage | None: ...

    async def take(self, owner_id: str, key: str) -> bool:
        """Take a message out of its queue; says whether it was there."""
        ...

    async def ready(self, *, limit: int) -> list[str]:
        """Sessions whose next queued message is to be sent: idle, not deleted, and their last task ended
        as `GOES_ON` says."""
        ...


class Drafts(Protocol):
    async def put(self, draft: StoredDraft, *, at: datetime) -> bool:
        """Keep the draft unless a version as new is kept already; says whether it was."""
        ...

    async def get(self, owner_id: str, session_id: str) -> StoredDraft | None: ...


class Notes(Protocol):
    """What answers wrote down for an owner, in whichever session."""

    async def add(self, note: Note) -> bool:
        """Insert, unless the owner has a note of this call: then False. Waits for a rival's commit."""
        ...

    async def of_call(self, owner_id: str, call_id: str) -> Note | None: ...

    async def count(self, owner_id: str) -> int: ...

    async def of_owner(self, owner_id: str, *, limit: int) -> list[Note]:
        """The owner's notes, newest first."""
        ...

    async def get(self, owner_id: str, note_id: str) -> Note | None: ...

    async def delete(self, owner_id: str, note_id: str) -> bool:
        """Delete a note of the owner's; says whether there was one."""
        ...


class Workers(Protocol):
    async def beat(self, worker_id: str) -> None:
        """Raise the worker's number by one; a row that is missing is made again."""
        ...

    async def all(self) -> list[WorkerBeat]: ...

    async def remove(self, worker_id: str) -> None: ...


class Unit(Protocol):
    """One transaction and its repositories."""

    owners: Owners
    sessions: Sessions
    messages: Messages
    tasks: Tasks
    keys: Keys
    queued: QueuedMessages
    drafts: Drafts
    notes: Notes
    workers: Workers


class Store(Protocol):
    def read(self) -> AbstractAsyncContextManager[Unit]:
        """One consistent read: every statement sees the same commit (DESIGN 4)."""
        ...

    def write(self) -> AbstractAsyncContextManager[Unit]:
        """One write transaction; commits at a clean exit, then announces the sessions it bumped.
        StoreUnavailable when the database is away."""
        ...
