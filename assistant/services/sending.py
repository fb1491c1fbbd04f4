"""Send a message: the session if need be, the message, the answer and its task, in one transaction."""

import unicodedata
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from assistant.domain.errors import InvalidInput, NotFound, SessionBusy
from assistant.domain.message import Message, Role
from assistant.domain.ports import Clock, Queue
from assistant.domain.records import Wish, WishKind
from assistant.domain.session import Session, SessionState
from assistant.domain.store_ports import Store, Unit
from assistant.domain.task import Task, TaskState
from assistant.domain.transcript import Part, PartKind, Transcript, well_formed
from assistant.services.wishes import Wishes, fingerprint

MAX_MESSAGE_CHARACTERS = 200_000
TITLE_CHARACTERS = 60

_UNSEEN = "ZC"
"""Unicode categories of separators and of control, format and unassigned characters."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The ids that an accepted send made; the same for every repeat of it."""

    session_id: str
    message_id: str
    answer_id: str
    task_id: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What the user wants to send; without a session a new one is created with it."""

    text: str
    session_id: str | None = None
    model: str | None = None
    parameters: dict[str, Any] | None = None


def wish_to_send(key: str, draft: Draft) -> Wish:
    """The wish to send a draft, the same from page and API."""
    return Wish(WishKind.SEND, key, fingerprint(WishKind.SEND.value, asdict(draft)))


class Sending:
    """The send use case."""

    def __init__(
        self,
        store: Store,
        queue: Queue,
        wishes: Wishes,
        clock: Clock,
        *,
        knows_model: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._store = store
        self._queue = queue
        self._wishes = wishes
        self._clock = clock
        self._knows_model = knows_model

    async def send(self, owner_id: str, wish: Wish, draft: Draft) -> Sent:
        """Accept the message once per key and have it answered.

        When this returns, message and task are stored (Case B008). Raises InvalidInput for an empty
        or too long text, NotFound for a session that is not the owner's, SessionBusy while another
        answer is unfinished, and what `Wishes.accept` raises; a refusal stores nothing.
        """
        text = _checked(draft.text)
        if draft.model is not None and not self._knows_model(draft.model):
            raise InvalidInput(f"There is no model {well_formed(draft.model)!r} here.")
        async with self._store.write() as unit:
            earlier = await self._wishes.accept(unit, owner_id, wish)
            if earlier is not None:
                return Sent(**earlier)
            session, version = await self._session(unit, owner_id, draft, text)
            sent = await self._store_turn(unit, session, version, wish.key, text)
            await self._wishes.settle(unit, owner_id, wish, asdict(sent))
        await self._queue.enqueue(sent.task_id, 0)
        return sent

    async def _session(self, unit: Unit, owner_id: str, draft: Draft, text: str) -> tuple[Session, int]:
        now = self._clock.now()
        if draft.session_id is None:
            session = Session(
                id=self._clock.id(),
                owner_id=owner_id,
                state=SessionState.ACTIVE,
                title=title_of(text),
                model=draft.model,
                parameters=draft.parameters or {},
                leaf_id=None,
                version=0,
                created_at=now,
                updated_at=now,
            )
            await unit.sessions.add(session)
            return session, await unit.sessions.bump(session.id)
        version = await unit.sessions.bump(draft.session_id)
        session = await unit.sessions.get(owner_id, draft.session_id)
        if session is None:
            raise NotFound()
        if await unit.tasks.unfinished(session.id):
            raise SessionBusy()
        if draft.model is not None or draft.parameters is not None:
            await unit.sessions.configure(
                session.id,
                model=draft.model if draft.model is not None else session.model,
                parameters=draft.parameters if draft.parameters is not None else session.parameters,
            )
        return session, version

    async def _store_turn(self, unit: Unit, session: Session, version: int, key: str, text: str) -> Sent:
        now = self._clock.now()
        # A new session has no message that could be the end of anything.
        leaf = await unit.messages.end_of_branch(session.id, session.leaf_id) if session.version else None
        question = await unit.messages.add(
            Message(
                id=self._clock.id(),
                session_id=session.id,
                parent_id=leaf,
                role=Role.USER,
                text=text,
                parts=(Part(PartKind.TEXT, 0, len(text)),),
                position=0,
                created_at=now,
                version=version,
                client_id=key,
            )
        )
        task = await add_answer(unit, self._clock, session, version, question.id)
        return Sent(session.id, question.id, task.answer_id, task.id)


async def add_answer(
    unit: Unit,
    clock: Clock,
    session: Session,
    version: int,
    question_id: str,
    kept: Transcript | None = None,
) -> Task:
    """Add an answer under a question, the task that fills it, and choose its branch.

    `kept` seeds the answer with text that is to be continued.
    """
    now = clock.now()
    seed = kept or Transcript()
    answer = await unit.messages.add(
        Message(
            id=clock.id(),
            session_id=session.id,
            parent_id=question_id,
            role=Role.ASSISTANT,
            text=seed.text,
            parts=seed.parts,
            position=0,
            created_at=now,
            version=version,
        )
    )
    task = Task(
        id=clock.id(),
        session_id=session.id,
        owner_id=session.owner_id,
        question_id=question_id,
        answer_id=answer.id,
        state=TaskState.PENDING,
        reason=None,
        attempt=0,
        worker=None,
        offset=len(seed),
        prefix=len(seed),
        stop_requested_at=None,
        error=None,
        usage=None,
        created_at=now,
        finished_at=None,
        version=version,
    )
    await unit.tasks.add(task, seed)
    await unit.sessions.choose_leaf(session.id, answer.id)
    await unit.sessions.touch(session.id, at=now)
    return task


def title_of(text: str) -> str:
    """A session's first title: the first line of its first message, shortened at a word."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= TITLE_CHARACTERS:
        return line
    head = line[:TITLE_CHARACTERS]
    return (head.rsplit(" ", 1)[0] if " " in head else head) + "…"


def _checked(text: str) -> str:
    if not any(unicodedata.category(character)[0] not in _UNSEEN for character in text):
        raise InvalidInput("The message is empty.")
    text = well_formed(text)
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise InvalidInput(f"The message is longer than {MAX_MESSAGE_CHARACTERS:,} characters.")
    return text
