"""The store: consistent reads, write transactions, and the announcement of what was committed (DESIGN 4)."""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from sqlalchemy import text

from assistant.domain import device_link
from assistant.domain import store_ports as ports
from assistant.domain.records import Bump
from assistant.domain.share import Shares as SharesPort
from assistant.domain.summary import Summaries as SummariesPort
from assistant.storage.belongings import Belongings
from assistant.storage.databases import Engines
from assistant.storage.device_links import DeviceLinks
from assistant.storage.drafts import Drafts
from assistant.storage.imported import ImportedRows
from assistant.storage.keys import Keys
from assistant.storage.messages import Messages
from assistant.storage.notes import Notes
from assistant.storage.owners import Owners
from assistant.storage.queued import QueuedMessages
from assistant.storage.search import Search
from assistant.storage.sessions import Sessions
from assistant.storage.shares import Shares
from assistant.storage.summaries import Summaries
from assistant.storage.tasks import Tasks
from assistant.storage.tool_calls import ToolCalls
from assistant.storage.transaction import Transaction, begun
from assistant.storage.workers import Workers

Announce = Callable[[list[Bump]], Awaitable[None]]

_log = logging.getLogger(__name__)


async def silent(bumps: list[Bump]) -> None:
    """Announce to nobody: followers find out by comparing versions."""


class Unit:
    """One transaction and its repositories."""

    def __init__(self, transaction: Transaction) -> None:
        self.owners: ports.Owners = Owners(transaction)
        self.sessions: ports.Sessions = Sessions(transaction)
        self.messages: ports.Messages = Messages(transaction)
        self.tasks: ports.Tasks = Tasks(transaction)
        self.calls: ports.ToolCalls = ToolCalls(transaction)
        self.keys: ports.Keys = Keys(transaction)
        self.queued: ports.QueuedMessages = QueuedMessages(transaction)
        self.drafts: ports.Drafts = Drafts(transaction)
        self.notes: ports.Notes = Notes(transaction)
        self.shares: SharesPort = Shares(transaction)
        self.links: device_link.DeviceLinks = DeviceLinks(transaction)
        self.belongings: device_link.Belongings = Belongings(transaction)
        self.workers: ports.Workers = Workers(transaction)
        self.search: ports.Search = Search(transaction)
        self.imported: ports.ImportedRows = ImportedRows(transaction)
        self.summaries: SummariesPort = Summaries(transaction)


class SqlStore:
    """`store_ports.Store` on SQLite or PostgreSQL; see `databases` for how each of them runs a transaction.

    `url` names an async driver: `sqlite+aiosqlite:///<file>` or `postgresql+asyncpg://...`. Several stores,
    in one process or in many, may share a database. `announce` is awaited after a commit with the
    sessions that it bumped, in the order of the bumps; it may be slow or fail without harm to the
    transaction, which is stored by then. A body is never run twice: a transaction that the database gave
    up on raises StoreUnavailable, and whoever had the wish repeats it.
    """

    def __init__(self, url: str, announce: Announce = silent) -> None:
        self._engines = Engines(url)
        self._announce = announce

    async def open(self) -> None:
        """Reach the database once; StoreUnavailable when it is away. A store that was not opened, or
        that could not be, works all the same as soon as the database answers."""
        async with begun(self._engines.read) as transaction:
            await transaction.row(text("SELECT 1"))

    async def close(self) -> None:
        """Close every connection; transactions that still run are lost."""
        await self._engines.close()

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[ports.Unit]:
        """One consistent read: every statement sees the commits that the first one saw."""
        async with begun(self._engines.read) as transaction:
            yield Unit(transaction)

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[ports.Unit]:
        """One write transaction: commits at a clean exit and then announces, rolls back at any error.

        Cancelled while it commits, it may have been stored without an announcement; followers compare
        versions with the row and find it.
        """
        async with begun(self._engines.write) as transaction:
            yield Unit(transaction)
        if transaction.bumped:
            await self._tell(list(transaction.bumped.values()))

    async def _tell(self, bumps: list[Bump]) -> None:
        try:
            await self._announce(bumps)
        except Exception:
            _log.exception("a commit was not announced: %s", bumps)
