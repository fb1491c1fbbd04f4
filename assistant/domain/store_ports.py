"""The seam to storage: one repository a noun, the transaction that holds them, and the store.

Adapters implement these protocols and are wired in `bootstrap`; siblings never import each other.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol

from assistant.domain.device_link import Belongings, DeviceLinks
from assistant.domain.message import Message
from assistant.domain.records import (
    Found,
    KeyRecord,
    KeyState,
    Note,
    Owner,
    QueuedMessage,
    StoredDraft,
    WorkerBeat,
)
from assistant.domain.search_tokens import Term
from assistant.domain.session import Session, SessionEvent, SessionState
from assistant.domain.share import Shares
from assistant.domain.summary import Summaries
from assistant.domain.task import Task
from assistant.domain.task_ports import Tasks, ToolCalls
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

    async def bump(self, session_id: str, *, owner_id: str | None = None) -> int:
        """Raise the version and return it: the first statement of every write transaction of a
        session, which makes them happen one after the other. NotFound when there is no such row,
        or, for an id that a caller named, none of this owner's: it is not even locked then. Registers
        the change for announcement after the commit."""
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

    async def rename(self, session_id: str, title: str) -> None:
        """Give it another title, which no model replaces."""
        ...

    async def ask_title(self, session_id: str) -> bool:
        """Take the one try at a title by a model; says whether it was there to be had."""
        ...

    async def entitle(self, session_id: str, title: str) -> bool:
        """Give it the title that a model made, unless the user has renamed it since; says whether."""
        ...

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

    async def below(self, above: Message, leaf_id: str, *, limit: int) -> list[Message] | None:
        """The next `limit` messages after `above`, oldest first, if it is on the branch of `leaf_id`. Whether
        it is on that branch is asked with `limit` 0, and else only where a fork is met: None when not."""
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

    async def last_position(self, session_id: str) -> int:
        """The position of the newest message; 0 when there is none."""
        ...

    async def ids_of_branch(self, session_id: str, leaf_id: str | None) -> list[str]:
        """The ids of a whole branch, oldest first, walked as `branch` does."""
        ...

    async def some(self, session_id: str, wanted: range | Sequence[str]) -> list[Message]:
        """Messages of a session, by a range of positions or by ids, in that order."""
        ...

    async def fill(self, message_id: str, transcript: Transcript, version: int) -> None:
        """Store the answer's text and parts at a step border, a park or the end."""
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

    async def rewrite(self, owner_id: str, key: str, text: str, *, version: int) -> bool:
        """Give a message another text at its place in the queue; says whether it was there."""
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


class Search(Protocol):
    """What an owner finds again. The index is written by the writes of titles and messages themselves."""

    async def find(
        self, owner_id: str, terms: Sequence[Term], *, limit: int, before: int | None = None
    ) -> list[Found]:
        """What holds all of the terms, titles first and then the newest; `before` is the place of the last
        seen. Nothing of a deleted session, and nothing without a term."""
        ...


class ImportedRows(Protocol):
    """What was said and done elsewhere, many rows at once."""

    async def add(
        self, owner_id: str, session_id: str, said: Sequence[Message], ended: Sequence[Task]
    ) -> None:
        """Store messages of one session with the positions that they carry, and the ended tasks of their
        answers with their calls. The session was bumped before in this transaction."""
        ...


class Unit(Protocol):
    """One transaction and its repositories."""

    owners: Owners
    sessions: Sessions
    messages: Messages
    tasks: Tasks
    calls: ToolCalls
    keys: Keys
    queued: QueuedMessages
    drafts: Drafts
    notes: Notes
    shares: Shares
    links: DeviceLinks
    belongings: Belongings
    workers: Workers
    search: Search
    imported: ImportedRows
    summaries: Summaries


class Store(Protocol):
    def read(self) -> AbstractAsyncContextManager[Unit]:
        """One consistent read: every statement sees the same commit (DESIGN 4)."""
        ...

    def write(self) -> AbstractAsyncContextManager[Unit]:
        """One write transaction; commits at a clean exit, then announces the sessions it bumped.
        StoreUnavailable when the database is away."""
        ...
