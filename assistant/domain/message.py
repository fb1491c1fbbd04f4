"""A message: one entry of a session, a node in its tree of branches."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assistant.domain.transcript import Part


class Role(StrEnum):
    USER = "user"
    """What the person wrote."""

    ASSISTANT = "assistant"
    """An answer, filled by one task."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message as stored.

    `position` is the order within the session, minted once and independent of any clock (Case B151).
    `siblings` are the ids of all messages with the same parent and role, oldest first, itself included.
    `task_id` is the task that fills an answer; `client_id` is the key under which a user message was
    sent.
    """

    id: str
    session_id: str
    parent_id: str | None
    role: Role
    text: str
    parts: tuple[Part, ...]
    position: int
    created_at: datetime
    version: int
    client_id: str | None = None
    task_id: str | None = None
    siblings: tuple[str, ...] = field(default=())
    attachments: tuple[str, ...] = field(default=())
