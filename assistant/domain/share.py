"""A share: a link by which others read a session, without an owner, until it is revoked."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Share:
    """One link as stored; its token is not, but follows from the id and the server's secret.

    A session has one that is not revoked at most. `with_arguments` says whether readers see what tools were
    given and what came of it. Nothing of a revoked one ever changes again.
    """

    id: str
    session_id: str
    owner_id: str
    with_arguments: bool
    version: int
    created_at: datetime
    revoked_at: datetime | None = None


class Shares(Protocol):
    """The shares of sessions; whoever writes has bumped the session in the same transaction."""

    async def add(self, share: Share) -> None:
        """Insert it; the session has no other that is not revoked."""
        ...

    async def of_session(self, owner_id: str, session_id: str) -> Share | None:
        """The one that is not revoked, of a session that is this owner's and not deleted."""
        ...

    async def get(self, owner_id: str, share_id: str) -> Share | None:
        """The share, revoked or not, if it is this owner's."""
        ...

    async def readable(self, share_id: str) -> Share | None:
        """The share, whoever asks, unless it is revoked or its session is deleted."""
        ...

    async def allow_arguments(self, share_id: str, allowed: bool, *, version: int) -> None:
        """Say anew what readers see of tool calls."""
        ...

    async def revoke(self, share_id: str, *, at: datetime, version: int) -> None:
        """From this commit on the link is as if it never was; the first time counts."""
        ...
