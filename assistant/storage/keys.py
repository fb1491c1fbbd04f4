"""The idempotency keys repository (DESIGN 8)."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update

from assistant.domain.records import KeyRecord, KeyState, WishKind
from assistant.storage.inserting import insert_unless_there
from assistant.storage.schema import keys
from assistant.storage.transaction import Transaction


class Keys:
    """`store_ports.Keys` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def insert(self, record: KeyRecord) -> bool:
        """Insert, unless the owner already has this key: then False. Waits for a rival's commit, so
        after a False the key can be read."""
        inserted = await self._in.changed(
            insert_unless_there(self._in, keys, keys.c.owner_id, keys.c.key),
            {
                "owner_id": record.owner_id,
                "key": record.key,
                "kind": record.kind,
                "fingerprint": record.fingerprint,
                "state": record.state,
                "result": record.result,
                "expires_at": record.expires_at,
            },
        )
        return inserted == 1

    async def get(self, owner_id: str, key: str) -> KeyRecord | None:
        """What is known of the key, expired or not, until it is swept."""
        row = await self._in.row(select(keys).where(keys.c.owner_id == owner_id, keys.c.key == key))
        return row and KeyRecord(
            owner_id=row.owner_id,
            key=row.key,
            kind=row.kind and WishKind(row.kind),
            fingerprint=row.fingerprint,
            state=KeyState(row.state),
            result=row.result,
            expires_at=row.expires_at,
        )

    async def settle(self, owner_id: str, key: str, result: dict[str, Any]) -> None:
        """Set the result reference of a key inserted in this transaction."""
        await self._in.changed(
            update(keys).where(keys.c.owner_id == owner_id, keys.c.key == key).values(result=result)
        )

    async def sweep(self, *, now: datetime) -> int:
        """Delete the accepted keys that expired at or before `now`; returns how many. A withdrawal is for
        ever."""
        return await self._in.changed(
            delete(keys).where(keys.c.expires_at <= now, keys.c.state == KeyState.ACCEPTED)
        )
