"""The device links repository: each used once, by one conditional UPDATE (decision 0019)."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Row

from assistant.domain.device_link import DeviceLink
from assistant.storage.schema import device_links
from assistant.storage.transaction import Transaction


class DeviceLinks:
    """`device_link.DeviceLinks` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def add(self, link: DeviceLink, *, most_open: int) -> None:
        """Insert it; of those of its owner that are open only so many, the newest, are kept."""
        await self._in.changed(insert(device_links), asdict(link))
        beyond = (
            select(device_links.c.id)
            .where(device_links.c.owner_id == link.owner_id, device_links.c.used_at.is_(None))
            .order_by(device_links.c.id.desc())
            .offset(most_open)
            # SQLite knows no OFFSET without it.
            .limit(1_000)
        )
        too_many = [row.id for row in await self._in.rows(beyond)]
        if too_many:
            await self._in.changed(delete(device_links).where(device_links.c.id.in_(too_many)))

    async def of_owner(self, owner_id: str) -> list[DeviceLink]:
        """The owner's links that are still there, newest first."""
        newest_first = select(device_links).where(device_links.c.owner_id == owner_id)
        return [_link(row) for row in await self._in.rows(newest_first.order_by(device_links.c.id.desc()))]

    async def open_of(self, digest: str, *, now: datetime) -> DeviceLink | None:
        """The link of a digest, unless it is used or its time is over."""
        row = await self._in.row(
            select(device_links).where(
                device_links.c.digest == digest,
                device_links.c.used_at.is_(None),
                device_links.c.expires_at > now,
            )
        )
        return row and _link(row)

    async def use(self, link_id: str, *, on: str, now: datetime) -> bool:
        """Use it, by one conditional UPDATE; False when it is used, taken back or over by now."""
        used = (
            update(device_links)
            .where(
                device_links.c.id == link_id,
                device_links.c.used_at.is_(None),
                device_links.c.expires_at > now,
            )
            .values(used_at=now, used_on=on)
        )
        return await self._in.changed(used) == 1

    async def take_back(self, owner_id: str, link_id: str) -> bool:
        """Delete a link of the owner's, used or not; says whether there was one."""
        gone = delete(device_links).where(device_links.c.owner_id == owner_id, device_links.c.id == link_id)
        return await self._in.changed(gone) == 1

    async def sweep(self, *, expired_before: datetime) -> None:
        """Delete those whose time was over at or before that."""
        await self._in.changed(delete(device_links).where(device_links.c.expires_at <= expired_before))


def _link(row: Row[Any]) -> DeviceLink:
    return DeviceLink(
        id=row.id,
        owner_id=row.owner_id,
        digest=row.digest,
        created_at=row.created_at,
        expires_at=row.expires_at,
        used_at=row.used_at,
        used_on=row.used_on,
    )
