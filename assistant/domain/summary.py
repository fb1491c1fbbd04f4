"""Summaries: what a model wrote of the oldest messages of a branch, so that the rest fits its window.

    root ── ... ── M ── N ── ... ── question          the model is told the summary, then N and what follows
    └── summary ───┘

A summary goes through a message M: it stands for all messages from the root up to and with M, and counts on
those branches alone that go on from M. An edit above M makes a branch that does not. No message is changed by
it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Summary:
    """One summary as stored; `based_on` is the older one that it was made of, which may be gone.

    `model` is the one that the session had chosen, None for the default one.
    """

    id: str
    session_id: str
    through_id: str
    based_on: str | None
    text: str
    model: str | None
    created_at: datetime


class Summaries(Protocol):
    """The seam to storage; whoever writes has bumped the session in the same transaction."""

    async def add(self, summary: Summary, task_id: str, attempt: int) -> bool:
        """Insert, if this attempt holds the task still and nobody asked to stop it, if what the summary is
        based on is there still, and if there is none through this message yet; says whether."""
        ...

    async def of_branch(self, session_id: str, leaf_id: str | None) -> Summary | None:
        """The summary that goes furthest on the branch that ends at a message, of those that something
        follows there."""
        ...

    async def remove(self, summary_id: str) -> bool:
        """Take a summary away with those that it is based on; says whether there was one."""
        ...
