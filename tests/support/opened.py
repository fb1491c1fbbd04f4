"""The product opened in the test's own process: real store, streams, queue and runner, without HTTP.

async with opened(Settings(...)) as assistant:
    sent = await assistant.send("Hello?")
    reader = assistant.follow(sent.task_id)
    await reader.ended()
    assert reader.text == await assistant.stored(sent.task_id)
"""

import sqlite3
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Executable

from assistant import bootstrap
from assistant.bootstrap import Services
from assistant.domain.errors import StoreUnavailable
from assistant.domain.frames import Cursor, Shown
from assistant.domain.log import Folded
from assistant.domain.message import Message
from assistant.domain.ports import Providers
from assistant.domain.records import Wish, WishKind
from assistant.domain.session import Session
from assistant.domain.store_ports import Unit
from assistant.domain.task import Task, TaskState
from assistant.domain.tool_call import Decision, ToolCall
from assistant.domain.tools import Tools
from assistant.services.arranging import Arrangement
from assistant.services.deciding import Verdict, wish_to_decide
from assistant.services.following import Following
from assistant.services.queueing import Waiting
from assistant.services.sending import Draft, Sending, Sent, wish_to_send
from assistant.services.wishes import wish_about
from assistant.settings import Settings
from assistant.storage.databases import Engines
from assistant.streams.hub import Rhythm, StreamHub
from assistant.streams.log import RedisLog
from tests.support.databases import sqlite_file, sqlite_url
from tests.support.eventually import POLL_SECONDS, eventually
from tests.support.reader import NOTHING, Reader

OWNER = "ada"
FROM_THE_BEGINNING = Cursor()


def send_wish(key: str, draft: Draft) -> Wish:
    """The wish of a send, as page and API make it."""
    return wish_to_send(key, draft)


def task_wish(kind: WishKind, key: str, task_id: str) -> Wish:
    """The wish of a stop, a retry or a continue."""
    wish = wish_about(kind, task_id, key)
    assert wish is not None
    return wish


class NoQueue:
    """A queue that loses everything, so that only the reconciler finds a task."""

    async def enqueue(self, task_id: str, attempt: int) -> None:
        """Lose it."""


class Assistant:
    """The open product and the few moves that tests make; everything is Ada's unless told otherwise."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.readers: list[Reader] = []

    async def send(
        self,
        text: str = "Hello?",
        *,
        session_id: str | None = None,
        key: str | None = None,
        owner: str = OWNER,
        model: str | None = None,
        edits: str | None = None,
        delivered: bool = True,
    ) -> Sent:
        """Send a message, under a new key unless one is given. Not `delivered`: no runner is told of it."""
        draft = Draft(text, session_id, model=model, edits=edits)
        sending = self.services.sending
        if not delivered:
            sending = Sending(self.services.store, NoQueue(), self.services.wishes, self.services.clock)
        sent = await sending.send(owner, send_wish(key or str(uuid.uuid4()), draft), draft)
        assert isinstance(sent, Sent)
        return sent

    async def queue(
        self, text: str, session_id: str, *, key: str | None = None, model: str | None = None
    ) -> Sent | Waiting:
        """Send a message that may wait for its turn; under its own text as the key unless one is given."""
        draft = Draft(text, session_id, model=model, queue=True)
        return await self.services.sending.send(OWNER, send_wish(key or text, draft), draft)

    def follow(
        self,
        task_id: str,
        cursor: Cursor = FROM_THE_BEGINNING,
        shown: Shown = NOTHING,
        *,
        owner: str = OWNER,
        following: Following | None = None,
    ) -> Reader:
        """A reader that begins with what it shows and follows until the task is closed."""
        following = following or self.services.following
        reader = Reader(following.follow(owner, task_id, cursor), shown)
        self.readers.append(reader)
        return reader

    async def task(self, task_id: str) -> Task:
        """The task as it stands, whoever owns it."""
        async with self.services.store.read() as unit:
            task = await unit.tasks.find(task_id)
        assert task is not None
        return task

    async def unmoved(self, task_id: str) -> Task:
        """The task but for how far its last snapshot goes: what only a move would change."""
        return replace(await self.task(task_id), offset=0)

    async def ended(self, task_id: str, within: float = 10.0, *, every: float = POLL_SECONDS) -> Task:
        """The task in its terminal state."""

        async def closed() -> Task | None:
            task = await self.task(task_id)
            return task if task.closed else None

        task = await eventually(closed, within, every=every)
        assert task is not None
        return task

    async def streaming(self, task_id: str, within: float = 5.0) -> Task:
        """The task, once a runner holds it."""

        async def streams() -> Task | None:
            task = await self.task(task_id)
            return task if task.state is TaskState.STREAMING and task.worker else None

        task = await eventually(streams, within)
        assert task is not None
        return task

    async def parked(self, task_id: str, within: float = 5.0) -> Task:
        """The task, once it waits for a person and nobody drives it here any more."""

        async def waits() -> Task | None:
            task = await self.task(task_id)
            return task if task.state is TaskState.AWAITING_CONFIRM else None

        task = await eventually(waits, within)
        assert task is not None
        await eventually(lambda: task_id not in cast(Any, self.services.working)._running, within)
        return task

    async def call(self, task_id: str, name: str) -> ToolCall:
        """The last call of a tool in a task."""
        calls = [call for call in (await self.task(task_id)).tool_calls if call.name == name]
        assert calls, f"no call of {name} yet"
        return calls[-1]

    async def decide(
        self,
        call: ToolCall,
        decision: Decision = Decision.APPROVE,
        *,
        reason: str | None = None,
        key: str | None = None,
        owner: str = OWNER,
        arguments_hash: str | None = None,
    ) -> Task:
        """Decide about a call as it was seen."""
        verdict = Verdict(call.id, decision, arguments_hash or call.arguments_hash, reason)
        return await self.services.deciding.decide(owner, verdict, wish_to_decide(key, verdict))

    async def answered(
        self, text: str = "Hello?", *, session_id: str | None = None, edits: str | None = None
    ) -> Sent:
        """Send a message and wait for the end of its answer."""
        sent = await self.send(text, session_id=session_id, edits=edits)
        await self.ended(sent.task_id)
        return sent

    async def so_far(self, task_id: str, *, owner: str = OWNER) -> str:
        """The text now, read once."""
        return (await self.services.following.read(owner, task_id, Cursor())).folded.text

    async def stored(self, task_id: str) -> str:
        """The text in the store: of the message once the task has ended, else of the last snapshot."""
        async with self.services.store.read() as unit:
            return (await unit.tasks.stored(task_id)).text

    async def messages(self, session_id: str, *, owner: str = OWNER) -> tuple[Message, ...]:
        """The messages of a restore."""
        return (await self.services.restoring.snapshot(owner, session_id)).messages

    async def shown(self, session_id: str) -> list[str]:
        """The texts of the branch that is shown."""
        return [message.text for message in await self.messages(session_id)]

    async def show(self, session_id: str, message_id: str) -> Session:
        """Choose the branch through a message."""
        return await self.services.arranging.arrange(OWNER, session_id, Arrangement(leaf_id=message_id))

    async def lose_log(self, task_id: str) -> None:
        """Delete the task's log under whoever writes and reads it."""
        await cast(Any, self.services.log)._client.delete(f"s:{task_id}")

    @asynccontextmanager
    async def watching(self, rhythm: Rhythm) -> AsyncGenerator[Following]:
        """A following with a hub of its own that looks at the rows in another rhythm."""
        store, log = self.services.store, self.services.log

        async def stored(task_id: str) -> Folded:
            async with store.read() as unit:
                return await unit.tasks.stored(task_id)

        async def version_of(session_id: str) -> int | None:
            async with store.read() as unit:
                return await unit.sessions.version(session_id)

        hub = StreamHub(cast(RedisLog, log), stored, version_of, rhythm=rhythm)
        try:
            yield Following(store, log, hub)
        finally:
            await self.leave()
            await hub.aclose()

    @asynccontextmanager
    async def store_away(self) -> AsyncGenerator[list[None]]:
        """The database answers nobody until the block ends; gives a list that grows with each refusal."""
        store = cast(Any, self.services.store)
        refused: list[None] = []
        gone = [True]

        def refusing(honest: Callable[[], AbstractAsyncContextManager[Unit]]) -> Any:
            """Also for those who hold it beyond the block: then the store is back for them."""

            @asynccontextmanager
            async def begin() -> AsyncGenerator[Unit]:
                if gone:
                    refused.append(None)
                    raise StoreUnavailable()
                async with honest() as unit:
                    yield unit

            return begin

        store.read, store.write = refusing(store.read), refusing(store.write)
        try:
            yield refused
        finally:
            gone.clear()
            del store.read, store.write

    async def leave(self) -> None:
        """Every reader goes away."""
        for reader in self.readers:
            await reader.leave()

    async def change(self, statement: Executable) -> None:
        """Change rows behind the product's back, as time or a crash would."""
        engines = Engines(self.services.settings.database_url)
        try:
            async with engines.write.begin() as connection:
                await connection.execute(statement)
        finally:
            await engines.close()


@asynccontextmanager
async def opened(
    settings: Settings,
    *,
    runner: bool | None = None,
    providers: Providers | None = None,
    tools: Tools | None = None,
) -> AsyncGenerator[Assistant]:
    """Open the product, and leave no reader behind when the block ends."""
    async with bootstrap.running(settings, runner=runner, providers=providers, tools=tools) as services:
        assistant = Assistant(services)
        try:
            yield assistant
        finally:
            await assistant.leave()


def as_killed(settings: Settings, folder: Path) -> Settings:
    """The settings of a machine on which the process of `settings` was killed at this very moment.

    The SQLite file is copied as it is; what was in memory is gone. Open it after the first was closed:
    queues in memory meet inside one process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    left = folder / "assistant.db"
    source, copy = sqlite3.connect(sqlite_file(settings.database_url)), sqlite3.connect(left)
    try:
        source.backup(copy)
    finally:
        source.close()
        copy.close()
    return settings.model_copy(update={"data_dir": folder, "database_url": sqlite_url(left)})
