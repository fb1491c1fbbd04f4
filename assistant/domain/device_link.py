"""A link to another device: a code that lives for minutes and is used once (decision 0019).

    made ──used──▶ used
      ├──taken back──▶ (no row)
      └──its time is over──▶ (counts as unknown, and goes)

Whoever gives the code in time becomes the owner who made it. Only its digest is stored.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without 0, 1, I and O, which a person may take for each other."""

CODE_CHARACTERS = 8
"""40 bits of 32 letters: a guess that is right is not to be feared while wrong ones are counted."""

GROUP_CHARACTERS = 4
MAX_CODE_CHARACTERS = 40
"""As a person may write it, with spaces and dashes."""


@dataclass(frozen=True, slots=True)
class DeviceLink:
    """One code as stored; `used_on` names the device that used it, as it calls itself."""

    id: str
    owner_id: str
    digest: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
    used_on: str | None = None


class DeviceLinks(Protocol):
    """The links of all owners."""

    async def add(self, link: DeviceLink, *, most_open: int) -> None:
        """Insert it; of those of its owner that are open only so many, the newest, are kept."""
        ...

    async def of_owner(self, owner_id: str) -> list[DeviceLink]:
        """The owner's links that are still there, newest first."""
        ...

    async def open_of(self, digest: str, *, now: datetime) -> DeviceLink | None:
        """The link of a digest, unless it is used or its time is over."""
        ...

    async def use(self, link_id: str, *, on: str, now: datetime) -> bool:
        """Use it, by one conditional UPDATE; False when it is used, taken back or over by now."""
        ...

    async def take_back(self, owner_id: str, link_id: str) -> bool:
        """Delete a link of the owner's, used or not; says whether there was one."""
        ...

    async def sweep(self, *, expired_before: datetime) -> None:
        """Delete those whose time was over at or before that."""
        ...


class Belongings(Protocol):
    """All that carries an owner's id."""

    async def sessions(self, owner_id: str) -> int:
        """How many conversations, deleted ones not counted, the owner has."""
        ...

    async def move(self, former_id: str, owner_id: str) -> int:
        """Give another owner all that `former_id` has; returns how many conversations moved.

        Raises the version of each of them. An idempotency key that both owners have used is the new owner's:
        the moved message forgets it, and one that waits gets another.
        """
        ...


def new_code() -> str:
    """A code that nobody can guess."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_CHARACTERS))


def shown(code: str) -> str:
    """The code as a person reads it: in two groups."""
    return f"{code[:GROUP_CHARACTERS]}-{code[GROUP_CHARACTERS:]}"


def read(given: str) -> str | None:
    """The code in what a person wrote, in any case and grouping; None for what cannot be one."""
    if len(given) > MAX_CODE_CHARACTERS:
        return None
    code = "".join(character for character in given.upper() if not character.isspace() and character != "-")
    return code if len(code) == CODE_CHARACTERS and all(each in ALPHABET for each in code) else None
