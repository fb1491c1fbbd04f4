"""What a real owner has, of every kind that an id can name; the permission walk tries all of it.

Everything that the owner wrote or was told holds the word `SECRET`, which nobody else has a way to know.
"""

import asyncio
import re
import sqlite3
import uuid
from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from assistant.bootstrap import Services
from assistant.domain.log import Entry, Folded
from assistant.domain.models import Delta, Finished, ModelRequest
from assistant.domain.records import Bump, WishKind
from assistant.domain.task import TaskState
from assistant.domain.tools import ToolResult
from assistant.services.owner_seal import KnownOwner
from assistant.services.sending import Draft, wish_to_send
from assistant.services.wishes import wish_about
from tests.support.databases import sqlite_file
from tests.support.eventually import eventually
from tests.support.ledger_tools import Ledger, LedgerTools, Scripted
from tests.support.local_provider import DONE, LocalProvider, said
from tests.support.opened import Assistant
from tests.support.tool_steps import asks

SECRET = "marlinspike"
OWNER = "01932f5a-1111-7000-8000-00000000000a"
FOREIGNER = "01932f5a-2222-7000-8000-00000000000b"
NO_HASH = "e" * 64
"""Where there is no call whose arguments it could be of."""

_NOT_OF_AN_OWNER = ("worker", "alembic_version")
_OF_A_SEND = ("session_id", "message_id", "answer_id", "task_id")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Things:
    """The ids that one call of the walk is made with; each may stand as `{name}` in a row of a table."""

    session_id: str
    message_id: str
    answer_id: str
    task_id: str
    call_id: str
    arguments_hash: str
    key: str
    """Of a send of the owner's: accepted, or of a message that waits."""

    link_id: str
    """Of a code for another device, which waits to be used."""

    mine: str
    """A session of the foreigner's own, for calls that name another's id beside one's own."""

    def filled(self, template: Any) -> Any:
        """A template with its places filled, however deep they are in it."""
        match template:
            case str():
                for name, value in asdict(self).items():
                    template = template.replace(f"{{{name}}}", value)
                return template
            case dict():
                return {self.filled(name): self.filled(value) for name, value in template.items()}
            case list():
                return [self.filled(value) for value in template]
        return template

    def unfilled(self, text: str) -> str:
        """A text in which what the caller has named itself is as it was in the template."""
        for name, value in asdict(self).items():
            text = text.replace(value, f"{{{name}}}") if value and name != "mine" else text
        return text


def unknown(mine: str) -> Things:
    """As well formed as real ones, and nobody's."""
    ids = [f"01932f5a-3333-7000-8000-{number:012d}" for number in range(6)]
    return Things(*ids[:5], "f" * 64, str(uuid.UUID(int=7)), ids[5], mine)


class Estate:
    """The owner's things, and who may look at them."""

    def __init__(self, assistant: Assistant, provider: "Answers", ledger: Ledger) -> None:
        self.assistant = assistant
        self.ledger = ledger
        self.things: dict[str, Things] = {}
        self._provider = provider
        self._rung: list[str] = []

    @property
    def services(self) -> Services:
        return self.assistant.services

    def cookie_of(self, owner_id: str) -> str:
        """The value of the cookie by which the server knows an owner; "" for nobody."""
        return self.services.seal.seal(KnownOwner(owner_id)) if owner_id else ""

    async def build(self) -> "Estate":
        """A session of each kind; returns once nothing moves by itself any more."""
        for owner in (OWNER, FOREIGNER):
            await self.services.knowing.know(KnownOwner(owner))
        sent = await self.assistant.send("Mine", owner=FOREIGNER)
        await self.assistant.ended(sent.task_id)
        self._mine = sent.session_id
        self._link = (await self.services.linking.make(KnownOwner(OWNER)))[1].id
        for kind in ("finished", "running", "parked", "unknown outcome", "queued", "drafted", "deleted"):
            self.things[kind] = await self._begun(kind)
        await self.services.drafting.save(
            OWNER, self.things["drafted"].session_id, f"A draft about {SECRET}", 3
        )
        for kind in ("finished", "running"):
            await self.services.sharing.share(OWNER, self.things[kind].session_id, with_arguments=True)
        session_id = self.things["deleted"].session_id
        await self.services.deleting.delete(
            OWNER, session_id, wish_about(WishKind.DELETE, session_id, "a delete")
        )
        self._listen()
        return self

    def rung(self) -> list[str]:
        """The sessions and owners that open pages were told of since this was asked last."""
        rung, self._rung[:] = list(self._rung), []
        return [each for each in rung if each not in (FOREIGNER, self._mine)]

    async def logs(self) -> dict[str, list[Entry]]:
        """What the readers of each of the owner's tasks can be sent: its stream, entry by entry."""
        log, begin = self.services.log, Folded().position
        return {each.task_id: await log.after(each.task_id, begin) for each in self.things.values()}

    def nobodys(self) -> Things:
        """Ids that no row has."""
        return unknown(self._mine)

    def finish(self) -> None:
        """Let the running answers go on to their end."""
        self._provider.goes_on.set()

    def ids(self) -> set[str]:
        """Every id that the owner's rows hold, the owner's own included."""
        return {OWNER} | {found for row in self.rows() for found in _ID.findall(row)}

    def rows(self) -> list[str]:
        """Every row of every table but the foreigner's, as text."""
        return [row for row in self._all_rows() if FOREIGNER not in row and self._mine not in row]

    def rows_of_foreigner(self) -> list[str]:
        """Every row that the foreigner owns or that stands in a session of the foreigner's."""
        return [row for row in self._all_rows() if FOREIGNER in row or self._mine in row]

    def _listen(self) -> None:
        """Note every ring where it leaves: at the store, once a commit is done."""
        store = cast(Any, self.services.store)
        announce = store._announce

        async def noted(bumps: list[Bump]) -> None:
            self._rung += [each for bump in bumps for each in (bump.session_id, bump.owner_id)]
            await announce(bumps)

        store._announce = noted

    def _all_rows(self) -> list[str]:
        file = sqlite_file(self.services.settings.database_url)
        database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        try:
            tables = [
                name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")
            ]
            return [
                f"{table}: {row}"
                for table in sorted(set(tables) - set(_NOT_OF_AN_OWNER))
                for row in database.execute(f'SELECT * FROM "{table}"')
            ]
        finally:
            database.close()

    async def _begun(self, kind: str) -> Things:
        key = str(uuid.uuid4())
        sent = await self.assistant.send(f"{kind}: {SECRET}", owner=OWNER, key=key)
        things = Things(
            sent.session_id,
            sent.message_id,
            sent.answer_id,
            sent.task_id,
            "",
            NO_HASH,
            key,
            self._link,
            self._mine,
        )
        await eventually(lambda: self._stands(kind, sent.task_id))
        if kind == "queued":
            waiting = str(uuid.uuid4())
            await self._queue(f"Later, {SECRET}", sent.session_id, waiting)
            things = replace(things, key=waiting)
        if calls := (await self.assistant.task(sent.task_id)).tool_calls:
            things = replace(things, call_id=calls[0].id, arguments_hash=calls[0].arguments_hash)
        return things

    async def _stands(self, kind: str, task_id: str) -> bool:
        task = await self.assistant.task(task_id)
        if kind in ("running", "queued"):
            so_far = await self.assistant.so_far(task_id, owner=OWNER)
            return SECRET in so_far and await self.assistant.stored(task_id) == so_far
        return task.state is TaskState.AWAITING_CONFIRM if kind == "parked" else task.closed

    async def _queue(self, text: str, session_id: str, key: str) -> None:
        draft = Draft(text, session_id, queue=True)
        await self.services.sending.send(OWNER, wish_to_send(key, draft), draft)


class Answers(LocalProvider):
    """Answers by the first word of the question; `goes_on` opens the answers that run."""

    def __init__(self) -> None:
        super().__init__(self._play, continues_prefix=True)
        self.goes_on = asyncio.Event()

    async def _play(self, request: ModelRequest) -> AsyncGenerator[Delta | Finished]:
        question = request.turns[-1].text
        own = SECRET if SECRET in question else "mine"
        yield said(f"I know of {own}. ")
        if question.startswith(("running", "queued")):
            await self.goes_on.wait()
            yield said(f"And more of {own}.")
        if question.startswith("parked") and not request.steps:
            yield asks("mail")
        elif question.startswith("unknown outcome") and not request.steps:
            yield asks("chat")
        else:
            yield DONE


def tools(ledger: Ledger) -> LedgerTools:
    """One that asks first, and one of which nobody knows what it did."""
    return LedgerTools(
        ledger,
        mail=Scripted(needs_decision=True),
        chat=Scripted(ends=ToolResult.unknown(f"The line to {SECRET} was cut.")),
    )
