"""Long sessions, written beside the app: a question and an answer in turn, every answer with its task."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from sqlalchemy import insert

from assistant.domain.message import Role
from assistant.domain.records import Owner, OwnerKind
from assistant.domain.session import Session, SessionState
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.times import SystemClock
from assistant.storage.databases import Engines
from assistant.storage.schema import messages, tasks
from assistant.storage.store import SqlStore
from assistant.storage.transaction import begun

BATCH = 5_000
TEXT = "An answer of a usual length, with a 你好 and a 👩‍👩‍👧 in it. " * 8


def usual(number: int) -> str:
    """The text of each message."""
    return f"Message {number}. {TEXT}"


async def long_session(
    url: str,
    owner_id: str,
    count: int,
    *,
    says: Callable[[int], str] = usual,
    pending: int | None = None,
) -> str:
    """A session of `count` messages, numbered from 1, with the text that `says` gives; returns its id.

    The task of the answer `pending` has not begun: whoever reconciles has it carried out. The ids of the
    messages are `message_id(session, number)`.
    """
    session_id, now = str(uuid4()), SystemClock().now()
    ids = [message_id(session_id, number) for number in range(1, count + 1)]
    store = SqlStore(url)
    try:
        async with store.write() as unit:
            await unit.owners.add(Owner(owner_id, OwnerKind.ANONYMOUS, None, now))
            await unit.sessions.add(
                Session(session_id, owner_id, SessionState.ACTIVE, "Long", None, ids[-1], 1, now, now)
            )
    finally:
        await store.close()
    common: dict[str, Any] = {"session_id": session_id, "owner_id": owner_id, "created_at": now, "version": 1}
    rows: list[dict[str, Any]] = []
    for at, id_ in enumerate(ids):
        text = "" if at + 1 == pending else says(at + 1)
        rows.append(
            {
                **common,
                "id": id_,
                "parent_id": ids[at - 1] if at else None,
                "role": Role.ASSISTANT if at % 2 else Role.USER,
                "text": text,
                "parts": [{"kind": "text", "start": 0, "end": len(text)}] if text else [],
                "attachments": [],
                "position": at + 1,
                "client_id": None,
            }
        )
    ended = [
        {
            **common,
            **(_PENDING if answer["position"] == pending else {**_ENDED, "finished_at": now}),
            "id": f"t{answer['id']}",
            "question_id": question["id"],
            "answer_id": answer["id"],
            "offset": len(answer["text"]),
        }
        for question, answer in zip(rows[::2], rows[1::2], strict=False)
    ]
    engines = Engines(url)
    try:
        for table, found in ((messages, rows), (tasks, ended)):
            for begin in range(0, len(found), BATCH):
                async with begun(engines.write) as transaction:
                    await transaction.changed(insert(table), found[begin : begin + BATCH])
    finally:
        await engines.close()
    return session_id


def long_session_beside(url: str, owner_id: str, count: int, **how: Any) -> str:
    """The same, from a thread in which no event loop may run, as beside a browser."""
    made: list[str] = []
    thread = threading.Thread(
        target=lambda: made.append(asyncio.run(long_session(url, owner_id, count, **how)))
    )
    thread.start()
    thread.join()
    return made[0]


def message_id(session_id: str, number: int) -> str:
    """The id of a message of a long session, numbered from 1."""
    return f"{session_id}-{number:06}"


_COMMON: dict[str, Any] = {
    "worker": None,
    "text": "",
    "parts": [],
    "prefix": 0,
    "stop_requested_at": None,
    "error_code": None,
    "error_message": None,
    "usage": None,
}
_ENDED: dict[str, Any] = {
    **_COMMON,
    "state": TaskState.DONE,
    "reason": TaskReason.COMPLETE,
    "attempt": 1,
    "log_attempt": 1,
    "log_seq": 1,
}
_PENDING: dict[str, Any] = {
    **_COMMON,
    "state": TaskState.PENDING,
    "reason": None,
    "attempt": 0,
    "log_attempt": 0,
    "log_seq": 0,
    "finished_at": None,
}
