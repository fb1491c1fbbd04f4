"""Length must not cost: restoring a session of 50,000 messages beside one of 100."""

from typing import Any
from uuid import uuid4

from sqlalchemy import insert

from assistant.domain.message import Role
from assistant.domain.records import Owner as OwnerRecord
from assistant.domain.records import OwnerKind
from assistant.domain.session import Session, SessionState
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.times import SystemClock
from assistant.storage.databases import Engines
from assistant.storage.schema import messages, tasks
from assistant.storage.store import SqlStore
from assistant.storage.transaction import begun
from tests.bench.figures import Figure, Say, median
from tests.bench.stand import Owner, Stand, scripted, well
from tests.support.databases import sqlite_url

LONG = 50_000
SHORT = 100
READS = 300
WARM_UP = 20
BATCH = 5_000
TEXT = "An answer of a usual length, with a 你好 and a 👩‍👩‍👧 in it. " * 8


async def restore(say: Say) -> list[Figure]:
    """GET of both sessions in turn, on one connection."""
    async with scripted() as (stand, _):
        owner = await stand.owner()
        short = await _seed(stand, owner, SHORT)
        long = await _seed(stand, owner, LONG)
        say(f"restore: {LONG} messages are stored")
        taken: dict[str, list[float]] = {short: [], long: []}
        async with owner.line() as line:
            for _ in range(WARM_UP + READS):
                for session_id, times in taken.items():
                    answered = well(await line.call("GET", f"/api/sessions/{session_id}"))
                    times.append((line.answered_at - line.sent_at) * 1000)
                    assert len(answered.data["messages"]) == 50
                    assert answered.data["has_older"]
    at_short, at_long = (median(times[WARM_UP:]) for times in (taken[short], taken[long]))
    return [
        Figure("restore", f"at {LONG} messages / at {SHORT}, p50", at_long / at_short, "", 1.3),
        Figure("restore", f"a snapshot of 50 of {LONG} messages, p50", at_long, "ms"),
        Figure("restore", f"a snapshot of 50 of {SHORT} messages, p50", at_short, "ms"),
    ]


async def _seed(stand: Stand, owner: Owner, count: int) -> str:
    """A session of `count` messages, every answer with its task, written beside the server."""
    owner_id = (await owner.call("GET", "/api/owner")).data["id"]
    url = sqlite_url(stand.app.data_dir / "assistant.db")
    session_id, now = str(uuid4()), SystemClock().now()
    ids = [f"{session_id}-{number:06}" for number in range(1, count + 1)]
    store = SqlStore(url)
    try:
        async with store.write() as unit:
            await unit.owners.add(OwnerRecord(owner_id, OwnerKind.ANONYMOUS, None, now))
            await unit.sessions.add(
                Session(session_id, owner_id, SessionState.ACTIVE, "Long", None, ids[-1], 1, now, now)
            )
    finally:
        await store.close()
    common: dict[str, Any] = {"session_id": session_id, "owner_id": owner_id, "created_at": now, "version": 1}
    rows = [
        {
            **common,
            "id": id_,
            "parent_id": ids[at - 1] if at else None,
            "role": Role.ASSISTANT if at % 2 else Role.USER,
            "text": TEXT,
            "parts": [{"kind": "text", "start": 0, "end": len(TEXT)}],
            "attachments": [],
            "position": at + 1,
            "client_id": None,
        }
        for at, id_ in enumerate(ids)
    ]
    ended = [
        {
            **common,
            **_ENDED,
            "id": f"t{answer}",
            "question_id": question,
            "answer_id": answer,
            "finished_at": now,
        }
        for question, answer in zip(ids[::2], ids[1::2], strict=True)
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


_ENDED: dict[str, Any] = {
    "state": TaskState.DONE,
    "reason": TaskReason.COMPLETE,
    "attempt": 1,
    "worker": None,
    "text": "",
    "parts": [],
    "offset": len(TEXT),
    "prefix": 0,
    "log_attempt": 1,
    "log_seq": 1,
    "stop_requested_at": None,
    "error_code": None,
    "error_message": None,
    "usage": None,
}
