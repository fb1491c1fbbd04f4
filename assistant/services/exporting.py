"""Export one session as a file: JSON with everything, or Markdown with the branch that is shown.

A session may be long, so the file is made piece by piece, each read in a transaction of its own: what was
written before never changes, and what comes later is left out.
"""

import json
import re
import unicodedata
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import StrEnum

from assistant.domain.errors import NotFound
from assistant.domain.message import Message, Role
from assistant.domain.session import Session
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import Task
from assistant.domain.transcript import Transcript
from assistant.services.export_json import about, answer_of, question_of
from assistant.services.export_markdown import heading, said
from assistant.services.session_file import FORMAT, VERSION

BATCH = 100
MAX_NAME_CHARACTERS = 80


class ExportFormat(StrEnum):
    JSON = "json"
    """Everything, to be imported."""

    MARKDOWN = "md"
    """The branch that is shown, to be read."""


@dataclass(frozen=True, slots=True)
class Export:
    """A file that is being made: its name without a path, and its pieces."""

    name: str
    pieces: AsyncGenerator[str]


@dataclass(frozen=True, slots=True)
class Said:
    """One message with what became of it; `transcript` is the text so far of an answer that is written."""

    message: Message
    transcript: Transcript
    task: Task | None


class Exporting:
    """The export use case."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def export(self, owner_id: str, session_id: str, kind: ExportFormat) -> Export:
        """The session as a file, as it stands now. NotFound when it is not the owner's.

        The pieces raise NotFound when the session is deleted while they are made.
        """
        async with self._store.read() as unit:
            session = await _session(unit, owner_id, session_id)
            last = await unit.messages.last_position(session_id)
            leaf = None if session.leaf_id is None else await unit.messages.get(owner_id, session.leaf_id)
            branch: list[str] = []
            if kind is ExportFormat.MARKDOWN:
                branch = await unit.messages.ids_of_branch(session_id, session.leaf_id)
        name = f"{file_stem(session.title)}.{kind.value}"
        if kind is ExportFormat.MARKDOWN:
            return Export(name, self._markdown(session, branch, last))
        return Export(name, self._json(session, None if leaf is None else leaf.position, last))

    async def _json(self, session: Session, leaf: int | None, last: int) -> AsyncGenerator[str]:
        head = {"format": FORMAT, "version": VERSION, "session": about(session, leaf)}
        yield json.dumps(head, ensure_ascii=False)[:-1] + ', "messages": ['
        numbers: dict[str, int] = {}
        for begin in range(0, last, BATCH):
            page = await self._page(session, range(begin + 1, min(begin + BATCH, last) + 1))
            lines: list[str] = []
            for each in page:
                numbers[each.message.id] = number = len(numbers) + 1
                parent = numbers.get(each.message.parent_id or "")
                shape = (
                    question_of(number, parent, each.message)
                    if each.task is None
                    else answer_of(number, parent, each.message, each.transcript, each.task)
                )
                lines.append(("," if number > 1 else "") + "\n" + json.dumps(shape, ensure_ascii=False))
            yield "".join(lines)
        yield "\n]}\n"

    async def _markdown(self, session: Session, branch: list[str], last: int) -> AsyncGenerator[str]:
        yield heading(session, last - len(branch))
        for begin in range(0, len(branch), BATCH):
            page = await self._page(session, branch[begin : begin + BATCH])
            yield "".join(said(each.message, each.transcript, each.task) for each in page)

    async def _page(self, session: Session, wanted: range | list[str]) -> list[Said]:
        async with self._store.read() as unit:
            await _session(unit, session.owner_id, session.id)
            messages = await unit.messages.some(session.id, wanted)
            answers = [message.id for message in messages if message.role is Role.ASSISTANT]
            tasks = {task.answer_id: task for task in await unit.tasks.of_answers(session.owner_id, answers)}
            return [await _said(unit, message, tasks.get(message.id)) for message in messages]


async def _said(unit: Unit, message: Message, task: Task | None) -> Said:
    if task is None or task.closed:
        return Said(message, Transcript(message.text, message.parts), task)
    return Said(message, (await unit.tasks.stored(task.id)).transcript, task)


async def _session(unit: Unit, owner_id: str, session_id: str) -> Session:
    session = await unit.sessions.get(owner_id, session_id)
    if session is None:
        raise NotFound()
    return session


def file_stem(title: str) -> str:
    """A title as the name of a file on any system, without its ending."""
    kept = "".join(
        " " if character in '/\\:*?"<>|' or unicodedata.category(character)[0] in "ZC" else character
        for character in title
    )
    name = " ".join(kept.split())[:MAX_NAME_CHARACTERS].strip(" .")
    return f"_{name}" if _RESERVED.fullmatch(name) else name or "session"


_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""Devices, on one of the systems."""
