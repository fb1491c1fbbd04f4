"""The small records that stand beside sessions, messages and tasks: owner, key, queued message, worker."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from assistant.domain.message import Role
from assistant.domain.session import SessionState


class OwnerKind(StrEnum):
    ANONYMOUS = "anonymous"
    """Known by a signed cookie alone."""

    NAMED = "named"
    """Known by a name that a trusted proxy or a sign-in vouches for."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who may see: every service call takes one, every read filters by it."""

    id: str
    kind: OwnerKind
    name: str | None
    created_at: datetime


class WishKind(StrEnum):
    SEND = "send"
    """A user message and the task that answers it; an edit is one too, beside the message that it edits."""

    STOP = "stop"
    """The end of a task."""

    RETRY = "retry"
    """A new task with a sibling answer."""

    CONTINUE = "continue"
    """A new task seeded with the kept text."""

    DECISION = "decision"
    """Approval or refusal of a tool call."""

    UPLOAD = "upload"
    """An attachment."""

    ARRANGE = "arrange"
    """A session's title, model, parameters or chosen branch, its way into the archive and back, or the text
    of a message that waits in it."""

    DELETE = "delete"
    """The end of a session and of what runs in it."""

    UNDO_DELETE = "undo_delete"
    """A deleted session back, while there is time."""

    RELEASE = "release"
    """The oldest message of a session's queue, sent now."""

    REWRITE = "rewrite"
    """Another text for a message that waits."""

    RUN_AGAIN = "run_again"
    """A call whose outcome is unknown, once more, in a new task."""

    MARK_DONE = "mark_done"
    """A person's word that a call whose outcome is unknown was carried out; a new task goes on with it."""

    SHARE = "share"
    """A link by which others read a session, or another say about what they see of its tools."""

    UNSHARE = "unshare"
    """The end of that link."""

    IMPORT = "import"
    """A session made of an exported one."""

    DELETE_SUMMARY = "delete_summary"
    """The end of the summary of a session's chosen branch."""


class KeyState(StrEnum):
    ACCEPTED = "accepted"
    """Carried out once; the result reference says what came of it."""

    QUEUED = "queued"
    """A send that waits for its turn in its session: accepted at it, or withdrawn before."""

    WITHDRAWN = "withdrawn"
    """Never carried out, and never will be."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Something the user wants done once: the key is minted by the client when the user acts.

    `fingerprint` is SHA-256 of the route and the validated body as sorted JSON.
    """

    kind: WishKind
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """What is known of an idempotency key; unique by owner and key.

    `kind` and `fingerprint` are None for a key that was withdrawn before it was ever used; only the
    fingerprint is, for a send whose key was swept and whose message is gone.
    `result` is a reference: `{session_id, message_id, answer_id, task_id}` or a part of it; of a queued
    send it is the session alone.
    """

    owner_id: str
    key: str
    kind: WishKind | None
    fingerprint: str | None
    state: KeyState
    result: dict[str, Any] | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message that waits in a session until it is its turn; unique by owner and key.

    `position` is its order in the queue, minted by the store. `model` and `parameters` are set when it is
    sent; None leaves the session's own.
    """

    session_id: str
    owner_id: str
    key: str
    text: str
    model: str | None
    parameters: dict[str, Any] | None
    position: int
    created_at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """What an owner has typed in a session and not sent; `version` is counted by the browsers."""

    owner_id: str
    session_id: str
    text: str
    version: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something that an answer wrote down for an owner; unique by owner and the call that wrote it."""

    id: str
    owner_id: str
    call_id: str
    title: str
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """A title or a message that was searched for, with its session.

    `message_id` and `role` are None for a title. `text` is all that was searched in; `place` the order among
    what was found, minted by the store.
    """

    place: int
    session_id: str
    title: str
    state: SessionState
    updated_at: datetime
    message_id: str | None
    role: Role | None
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WorkerBeat:
    """One process that holds tasks, and the number it last raised; compared, never timed."""

    id: str
    beat: int


@dataclass(frozen=True, slots=True)
class Bump:
    """A committed change of a session, to be announced to its followers."""

    owner_id: str
    session_id: str
    version: int
