"""A session: one conversation with its own URL, and its own small machine.

active ◀──restore── archived          deleted: the row stays for 30 s (undo), then goes
  │  ──archive──▶      │
  └──── delete ────────┴──▶ deleted ──undo──▶ active

An undo leads to active, also of a session that was archived before: whoever takes a deletion back wants
to see it.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from assistant.domain.machine import Machine
from assistant.domain.title import TitleFrom


class SessionState(StrEnum):
    ACTIVE = "active"
    """Listed and usable."""

    ARCHIVED = "archived"
    """Out of the list, readable, comes back by a wish or a send."""

    DELETED = "deleted"
    """Gone for everybody; an undo brings it back while the row stays."""


class SessionEvent(StrEnum):
    ARCHIVE = "archive"
    """The user puts it away."""

    RESTORE = "restore"
    """The user brings it back from the archive."""

    DELETE = "delete"
    """The user deletes it."""

    UNDO = "undo"
    """The user takes the deletion back in time."""


_S, _E = SessionState, SessionEvent

SESSION = Machine(
    {
        (_S.ACTIVE, _E.ARCHIVE): _S.ARCHIVED,
        (_S.ACTIVE, _E.DELETE): _S.DELETED,
        (_S.ARCHIVED, _E.RESTORE): _S.ACTIVE,
        (_S.ARCHIVED, _E.DELETE): _S.DELETED,
        (_S.DELETED, _E.UNDO): _S.ACTIVE,
    },
    terminal=frozenset(),
)


@dataclass(frozen=True, slots=True)
class Session:
    """One session as stored.

    `version` rises by one with every write transaction of the session; `leaf_id` names the last
    message of the chosen branch and is None while there is no message.
    """

    id: str
    owner_id: str
    state: SessionState
    title: str
    model: str | None
    leaf_id: str | None
    version: int
    created_at: datetime
    updated_at: datetime
    parameters: dict[str, Any] = field(default_factory=dict)
    title_from: TitleFrom = TitleFrom.SETTLED
