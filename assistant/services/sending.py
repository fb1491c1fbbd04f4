"""Send a message: the session if need be, the message, the answer and its task, in one transaction.

An edit is a send whose message stands beside the one that it edits; nothing that exists is changed. A send
that may be queued waits in a busy session instead of being refused (see `queueing`).
"""

from dataclasses import asdict, dataclass
from typing import Any

from assistant.domain.errors import InvalidInput, NotFound, SessionBusy
from assistant.domain.message import Message, Role
from assistant.domain.ports import Clock, Queue
from assistant.domain.records import KeyState, QueuedMessage, Wish, WishKind
from assistant.domain.session import Session, SessionState
from assistant.domain.store_ports import Store, Unit
from assistant.domain.title import TitleFrom
from assistant.services.choices import ANYTHING, Choices
from assistant.services.queueing import Waiting, configure, must_wait, put
from assistant.services.turns import Sent, checked_text, store_turn
from assistant.services.wishes import Wishes, fingerprint

TITLE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Draft:
    """What the user wants to send; without a session a new one is created with it.

    `edits` names a user message: this one becomes its sibling, in its session, which need not be named.
    `queue`: in a busy session it waits for its turn; an edit cannot.
    """

    text: str
    session_id: str | None = None
    model: str | None = None
    parameters: dict[str, Any] | None = None
    edits: str | None = None
    queue: bool = False


def wish_to_send(key: str, draft: Draft) -> Wish:
    """The wish to send a draft, the same from page and API."""
    body = asdict(draft)
    # Keys that were stored before there were edits and queues stay those of the same wish.
    if draft.edits is None:
        del body["edits"]
    if not draft.queue:
        del body["queue"]
    return Wish(WishKind.SEND, key, fingerprint(WishKind.SEND.value, body))


class Sending:
    """The send use case."""

    def __init__(
        self,
        store: Store,
        queue: Queue,
        wishes: Wishes,
        clock: Clock,
        *,
        choices: Choices = ANYTHING,
    ) -> None:
        self._store = store
        self._queue = queue
        self._wishes = wishes
        self._clock = clock
        self._choices = choices

    async def send(self, owner_id: str, wish: Wish, draft: Draft) -> Sent | Waiting:
        """Accept the message once per key and have it answered.

        When this returns, message and task are stored (Case B008), or the message is in the queue of its
        session (Case B108); Waiting only comes of a draft with `queue`. Raises InvalidInput for an empty or
        too long text, a model or parameters that cannot be, or an edit of an answer; NotFound for a session
        or an edited message that is not the owner's; SessionBusy, or with `queue` QueueFull, while another
        answer is unfinished; and what `Wishes.accept` raises. A refusal stores nothing.
        """
        text = checked_text(draft.text)
        self._choices.check(draft.model, draft.parameters)
        if draft.queue and draft.edits is not None:
            raise InvalidInput("An edit cannot be queued; wait for the answer or stop it.", rule="edit_waits")
        async with self._store.write() as unit:
            earlier = await self._wishes.accept(unit, owner_id, wish)
            if earlier is not None:
                return Sent(**earlier) if "task_id" in earlier else Waiting(**earlier)
            edited = await _edited(unit, owner_id, draft)
            session, version = await self._session(unit, owner_id, draft, edited, text)
            if draft.queue and session.version and await must_wait(unit, session.id):
                await put(unit, self._queued(session, version, wish.key, draft, text))
                waiting = Waiting(session.id)
                await self._wishes.settle(unit, owner_id, wish, asdict(waiting), state=KeyState.QUEUED)
                return waiting
            if session.version:
                if await unit.tasks.unfinished(session.id):
                    raise SessionBusy()
                await configure(unit, session, draft.model, draft.parameters)
            if edited is not None:
                parent_id = edited.parent_id
            elif session.version:
                parent_id = await unit.messages.end_of_branch(session.id, session.leaf_id)
            else:
                parent_id = None  # a new session has no message that could be the end of anything
            sent = await store_turn(
                unit, self._clock, session, version, key=wish.key, text=text, parent_id=parent_id
            )
            await self._wishes.settle(unit, owner_id, wish, asdict(sent))
        await self._queue.enqueue(sent.task_id, 0)
        return sent

    async def _session(
        self, unit: Unit, owner_id: str, draft: Draft, edited: Message | None, text: str
    ) -> tuple[Session, int]:
        """The session to send into, locked, with the version of this write. A new one carries no version."""
        session_id = edited.session_id if edited is not None else draft.session_id
        if session_id is None:
            return await self._new_session(unit, owner_id, draft, text)
        version = await unit.sessions.bump(session_id, owner_id=owner_id)
        session = await unit.sessions.get(owner_id, session_id)
        if session is None:
            raise NotFound()
        return session, version

    def _queued(self, session: Session, version: int, key: str, draft: Draft, text: str) -> QueuedMessage:
        return QueuedMessage(
            session_id=session.id,
            owner_id=session.owner_id,
            key=key,
            text=text,
            model=draft.model,
            parameters=draft.parameters,
            position=0,
            created_at=self._clock.now(),
            version=version,
        )

    async def _new_session(self, unit: Unit, owner_id: str, draft: Draft, text: str) -> tuple[Session, int]:
        now = self._clock.now()
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
            title_from=TitleFrom.FIRST_LINE,
        )
        await unit.sessions.add(session)
        return session, await unit.sessions.bump(session.id)


def title_of(text: str) -> str:
    """A session's first title: the first line of its first message, shortened at a word. A model may make a
    better one of the first exchange, see `runner/titling`."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= TITLE_CHARACTERS:
        return line
    head = line[:TITLE_CHARACTERS]
    return (head.rsplit(" ", 1)[0] if " " in head else head) + "…"


async def _edited(unit: Unit, owner_id: str, draft: Draft) -> Message | None:
    """The message that the draft edits. What is read of it never changes, so the session is not locked."""
    if draft.edits is None:
        return None
    edited = await unit.messages.get(owner_id, draft.edits)
    if edited is None or draft.session_id not in (None, edited.session_id):
        raise NotFound()
    if edited.role is not Role.USER:
        raise InvalidInput(
            "An answer cannot be edited. Edit the message above it, or have it answered again.",
            rule="answer_edited",
        )
    return edited
