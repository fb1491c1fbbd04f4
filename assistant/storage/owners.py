"""The owners repository."""

from sqlalchemy import select

from assistant.domain.records import Owner, OwnerKind
from assistant.storage.inserting import insert_unless_there
from assistant.storage.schema import owners
from assistant.storage.transaction import Transaction


class Owners:
    """`store_ports.Owners` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def get(self, owner_id: str) -> Owner | None:
        """The owner, or None."""
        row = await self._in.row(select(owners).where(owners.c.id == owner_id))
        return row and Owner(row.id, OwnerKind(row.kind), row.name, row.created_at)

    async def add(self, owner: Owner) -> None:
        """Store the owner; one that is there already stays as it is (two first requests may race)."""
        await self._in.changed(
            insert_unless_there(self._in, owners, owners.c.id),
            {"id": owner.id, "kind": owner.kind, "name": owner.name, "created_at": owner.created_at},
        )
