"""Store a turn: a question, its answer and the task that fills it, on the branch that is then chosen.

Whoever stores one has bumped the session in the same transaction and seen that it is not busy, and
enqueues the task after the commit.
"""

import unicodedata
from dataclasses import dataclass, replace

from assistant.domain.errors import InvalidInput
from assistant.domain.message import Message, Role
from assistant.domain.ports import Clock
from assistant.domain.session import Session, SessionEvent, SessionState
from assistant.domain.store_ports import Unit
from assistant.domain.task import Task, TaskState
from assistant.domain.transcript import Part, PartKind, well_formed
from assistant.services.seeding import NOTHING, Seed

MAX_MESSAGE_CHARACTERS = 200_000

_UNSEEN = "ZC"
"""Unicode categories of separators and of control, format and unassigned characters."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The ids that an accepted send made; the same for every repeat of it."""

    session_id: str
    message_id: str
    answer_id: str
    task_id: str


async def store_turn(
    unit: Unit, clock: Clock, session: Session, version: int, *, key: str, text: str, parent_id: str | None
) -> Sent:
    """Add a user message under `parent_id`, with the answer and the task, and choose its branch.

    `version` is that of the bump; `text` was checked; `key` becomes the message's `client_id`. Raises
    SessionBusy when the session has an unfinished task.
    """
    question = await unit.messages.add(
        Message(
            id=clock.id(),
            session_id=session.id,
            parent_id=parent_id,
            role=Role.USER,
            text=text,
            parts=(Part(PartKind.TEXT, 0, len(text)),),
            position=0,
            created_at=clock.now(),
            version=version,
            client_id=key,
        )
    )
    task = await add_answer(unit, clock, session, version, question.id)
    return Sent(session.id, question.id, task.answer_id, task.id)


async def add_answer(
    unit: Unit,
    clock: Clock,
    session: Session,
    version: int,
    question_id: str,
    seed: Seed = NOTHING,
) -> Task:
    """Add an answer under a question, the task that fills it, and choose its branch.

    `seed` is what it begins with and goes on from. An archived session becomes active.
    """
    now = clock.now()
    text = seed.transcript
    task_id = clock.id()
    answer = await unit.messages.add(
        Message(
            id=clock.id(),
            session_id=session.id,
            parent_id=question_id,
            role=Role.ASSISTANT,
            text=text.text,
            parts=text.parts,
            position=0,
            created_at=now,
            version=version,
        )
    )
    task = Task(
        id=task_id,
        session_id=session.id,
        owner_id=session.owner_id,
        question_id=question_id,
        answer_id=answer.id,
        state=TaskState.PENDING,
        reason=None,
        attempt=0,
        worker=None,
        offset=len(text),
        prefix=len(text),
        stop_requested_at=None,
        error=None,
        usage=None,
        created_at=now,
        finished_at=None,
        version=version,
        tool_calls=tuple(replace(call, task_id=task_id, version=version) for call in seed.calls),
    )
    await unit.tasks.add(task, text)
    await unit.sessions.choose_leaf(session.id, answer.id)
    await unit.sessions.touch(session.id, at=now)
    if session.state is SessionState.ARCHIVED:
        await unit.sessions.move(session.id, SessionEvent.RESTORE, at=now)
    return task


def checked_text(text: str) -> str:
    """The text of a message, fit for any database. Raises InvalidInput when nothing of it can be seen, or
    when it is too long."""
    if not can_be_seen(text):
        raise InvalidInput("The message is empty.", rule="message_empty")
    text = well_formed(text)
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise InvalidInput(
            f"The message is longer than {MAX_MESSAGE_CHARACTERS:,} characters.",
            rule="message_too_long",
            most=MAX_MESSAGE_CHARACTERS,
        )
    return text


def can_be_seen(text: str) -> bool:
    """Whether the text has anything but spaces and invisible characters."""
    return any(unicodedata.category(character)[0] not in _UNSEEN for character in text)
