"""The task row, as far as streams know it: one snapshot by attempt, read as the start of a fold."""

import asyncio
from dataclasses import replace

from assistant.domain.errors import NotFound, StoreUnavailable
from assistant.domain.log import Folded


class Row:
    """One task's row. `gate` holds snapshots back while it is not set; `away` is a database that does
    not answer; `gone` a row that was deleted."""

    def __init__(self, attempt: int = 1) -> None:
        self.attempt = attempt
        self.folded = Folded()
        self.snapshots: list[Folded] = []
        self.reads = 0
        self.away = False
        self.gone = False
        self.gate = asyncio.Event()
        self.gate.set()
        self.under_way = 0
        self.most_under_way = 0

    async def snapshot(self, folded: Folded) -> bool:
        """The conditional UPDATE of the attempt named by the position."""
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await self.gate.wait()
            if self.away:
                raise StoreUnavailable()
            if folded.position.attempt != self.attempt or self.folded.closed:
                return False
            self.folded = folded
            self.snapshots.append(folded)
            return True
        finally:
            self.under_way -= 1

    async def stored(self, _: str) -> Folded:
        self.reads += 1
        if self.away:
            raise StoreUnavailable()
        if self.gone:
            raise NotFound()
        return self.folded

    def end(self, folded: Folded) -> None:
        """The terminal state, with the text of a fold."""
        self.folded = replace(folded, closed=True, gap=None)
