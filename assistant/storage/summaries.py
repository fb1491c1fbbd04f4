"""The summaries repository: which one counts on a branch, and an insert that only the living attempt wins."""

from sqlalchemy import delete, exists, literal, select, true
from sqlalchemy.engine import Row

from assistant.domain.summary import Summary
from assistant.storage.branches import WHOLE, walk
from assistant.storage.inserting import insert_from_unless_there
from assistant.storage.schema import messages, summaries, tasks
from assistant.storage.tables import UNFINISHED
from assistant.storage.transaction import Transaction

_ENDS = select(summaries.c.id, summaries.c.through_id, messages.c.position).join(
    messages, messages.c.id == summaries.c.through_id
)
_BRANCH_IDS = walk(select(messages.c.id), up_to=True)


class Summaries:
    """`domain.summary.Summaries` in one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._in = transaction

    async def add(self, summary: Summary, task_id: str, attempt: int) -> bool:
        """Insert, if this attempt holds the task still and nobody asked to stop it, if what the summary is
        based on is there still, and if there is none through this message yet; says whether.

        The session was bumped before in this transaction, so none of it changes meanwhile.
        """
        values = {
            "id": summary.id,
            "session_id": summary.session_id,
            "through_id": summary.through_id,
            "based_on": summary.based_on,
            "text": summary.text,
            "model": summary.model,
            "created_at": summary.created_at,
        }
        held = exists().where(
            tasks.c.id == task_id,
            tasks.c.attempt == attempt,
            tasks.c.worker.is_not(None),
            tasks.c.stop_requested_at.is_(None),
            UNFINISHED,
        )
        base = summaries.alias("base")
        there = exists().where(base.c.id == summary.based_on) if summary.based_on else true()
        row = select(*(literal(value, summaries.c[name].type) for name, value in values.items()))
        added = insert_from_unless_there(
            self._in,
            summaries,
            [summaries.c[name] for name in values],
            row.where(held, there),
            summaries.c.through_id,
        )
        return await self._in.changed(added) == 1

    async def of_branch(self, session_id: str, leaf_id: str | None) -> Summary | None:
        """The summary that goes furthest on the branch that ends at a message, of those that something
        follows there.

        Costs nothing where a session has none, and else as much as stands after it; of the texts one is read.
        """
        found = await self._in.rows(
            _ENDS.where(summaries.c.session_id == session_id, summaries.c.through_id != leaf_id).order_by(
                messages.c.position.desc()
            )
        )
        for candidates in (found[:1], found[1:]):
            if not candidates:
                return None
            lowest = candidates[-1].position
            values = {"session": session_id, "leaf": leaf_id, "depth": WHOLE, "position": lowest}
            branch = {row.id for row in await self._in.rows(_BRANCH_IDS, values)}
            for each in candidates:
                if each.through_id in branch:
                    row = await self._in.row(select(summaries).where(summaries.c.id == each.id))
                    return row and _summary(row)
        return None

    async def remove(self, summary_id: str) -> bool:
        """Take a summary away with those that it is based on; says whether there was one."""
        removed, next_id = False, summary_id
        while next_id is not None:
            row = await self._in.row(
                delete(summaries).where(summaries.c.id == next_id).returning(summaries.c.based_on)
            )
            removed = removed or row is not None
            next_id = row and row.based_on
        return removed


def _summary(row: Row[tuple[object, ...]]) -> Summary:
    return Summary(
        id=row.id,
        session_id=row.session_id,
        through_id=row.through_id,
        based_on=row.based_on,
        text=row.text,
        model=row.model,
        created_at=row.created_at,
    )
