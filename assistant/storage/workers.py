"""The workers repository: one row a process, and the number that it raises."""

from sqlalchemy import delete, select

from assistant.domain.records import WorkerBeat
from assistant.storage.inserting import insert_or_update
from assistant.storage.schema import workers
from assistant.storage.transaction import Transaction


class Workers:
    """`store_ports.Workers` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def beat(self, worker_id: str) -> None:
        """Raise the worker's number by one; a row that is missing is made again."""
        raised = insert_or_update(self._in, workers, workers.c.id, set_={"beat": workers.c.beat + 1})
        await self._in.changed(raised, {"id": worker_id, "beat": 1})

    async def all(self) -> list[WorkerBeat]:
        """Every worker that has a row, by id."""
        rows = await self._in.rows(select(workers).order_by(workers.c.id))
        return [WorkerBeat(row.id, row.beat) for row in rows]

    async def remove(self, worker_id: str) -> None:
        """Forget the worker; quiet when it has no row."""
        await self._in.changed(delete(workers).where(workers.c.id == worker_id))
