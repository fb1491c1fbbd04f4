"""Rows to begin a test with, and records with every field that the test does not care about filled in."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from assistant.domain.message import Message, Role
from assistant.domain.records import KeyRecord, KeyState, Owner, OwnerKind, QueuedMessage, WishKind
from assistant.domain.session import Session, SessionState
from assistant.domain.task import TASK, Task, TaskReason, TaskState
from assistant.domain.tool_call import ToolCall, ToolCallState
from assistant.domain.transcript import PartKind, Transcript
from assistant.storage.store import SqlStore

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
OWNER = "owner-1"
SESSION = "session-1"
QUESTION = "question-1"
ANSWER = "answer-1"
TASK_ID = "task-1"
WORKER = "worker-1"


def at(seconds: float) -> datetime:
    """So many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def said(text: str) -> Transcript:
    """A transcript of one text part."""
    return Transcript().append(PartKind.TEXT, text)


def an_owner(owner_id: str = OWNER) -> Owner:
    return Owner(owner_id, OwnerKind.ANONYMOUS, None, NOON)


def a_session(session_id: str = SESSION, **given: Any) -> Session:
    plain = Session(session_id, OWNER, SessionState.ACTIVE, "Title", None, None, 0, NOON, NOON)
    return replace(plain, **given)


def a_message(message_id: str, *, session_id: str = SESSION, **given: Any) -> Message:
    role = Role.ASSISTANT if message_id.startswith("answer") else Role.USER
    plain = Message(message_id, session_id, None, role, f"text of {message_id}", (), 0, NOON, 1)
    return replace(plain, **given)


def a_task(task_id: str = TASK_ID, **given: Any) -> Task:
    """Pending; a terminal state comes with a reason of its own."""
    plain = Task(
        id=task_id,
        session_id=SESSION,
        owner_id=OWNER,
        question_id=QUESTION,
        answer_id=ANSWER,
        state=TaskState.PENDING,
        reason=None,
        attempt=0,
        worker=None,
        offset=0,
        prefix=0,
        stop_requested_at=None,
        error=None,
        usage=None,
        created_at=NOON,
        finished_at=None,
        version=1,
    )
    if given.get("state") in TASK.terminal:
        done = given["state"] is TaskState.DONE
        given.setdefault("reason", TaskReason.COMPLETE if done else TaskReason.ERROR)
        given.setdefault("finished_at", at(1))
    return replace(plain, **given)


def numbered(n: int, **given: Any) -> Task:
    """A task with a session, a question and an answer of its own."""
    own = {"session_id": f"session-{n}", "question_id": f"question-{n}", "answer_id": f"answer-{n}"}
    return a_task(f"task-{n}", **{**own, **given})


def a_call(call_id: str, state: ToolCallState = ToolCallState.REQUESTED, **given: Any) -> ToolCall:
    plain = ToolCall(
        id=call_id,
        task_id=TASK_ID,
        step=1,
        name="search",
        arguments='{"q": "é"}',
        arguments_hash="hash",
        offset=0,
        state=state,
        version=1,
    )
    return replace(plain, **given)


def a_key(key: str = "key-1", **given: Any) -> KeyRecord:
    plain = KeyRecord(OWNER, key, WishKind.SEND, "fingerprint", KeyState.ACCEPTED, None, at(60))
    return replace(plain, **given)


def a_queued(key: str, **given: Any) -> QueuedMessage:
    plain = QueuedMessage(SESSION, OWNER, key, f"text of {key}", None, None, 0, NOON, 1)
    return replace(plain, **given)


class Seed:
    """Writes rows through the store that is under test."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    async def session(self, session: Session | None = None) -> None:
        """A session and its owner."""
        session = session or a_session()
        async with self._store.write() as unit:
            await unit.owners.add(an_owner(session.owner_id))
            await unit.sessions.add(session)

    async def messages(self, *messages: Message) -> None:
        async with self._store.write() as unit:
            for message in messages:
                await unit.messages.add(message)

    async def turn(self, task: Task | None = None, seed: Transcript = Transcript()) -> None:
        """A session with one question, its answer, and the task that fills it."""
        task = task or a_task()
        await self.session(a_session(task.session_id, owner_id=task.owner_id))
        question = a_message(task.question_id, session_id=task.session_id)
        answer = a_message(task.answer_id, session_id=task.session_id, parent_id=question.id, text="")
        await self.messages(question, answer)
        async with self._store.write() as unit:
            await unit.tasks.add(task, seed)

    async def turns(self, count: int) -> list[str]:
        """So many turns, each in a session of its own; returns the ids of their tasks."""
        made = [numbered(n, created_at=at(n)) for n in range(count)]
        for task in made:
            await self.turn(task)
        return [task.id for task in made]

    async def task(self, task_id: str = TASK_ID) -> Task:
        """The task as it is stored now."""
        async with self._store.read() as unit:
            found = await unit.tasks.find(task_id)
        assert found is not None
        return found

    async def message(self, message_id: str = ANSWER) -> Message:
        """The message as it is stored now."""
        async with self._store.read() as unit:
            found = await unit.messages.get(OWNER, message_id)
        assert found is not None
        return found
