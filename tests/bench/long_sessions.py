"""Length must not cost: restoring a session of 50,000 messages beside one of 100."""

from typing import Any

from tests.bench.figures import Figure, Say, median
from tests.bench.stand import Owner, Stand, scripted, well
from tests.support.databases import sqlite_url
from tests.support.long_sessions import long_session

LONG = 50_000
SHORT = 100
READS = 300
WARM_UP = 20


async def restore(say: Say) -> list[Figure]:
    """GET of both sessions in turn, on one connection."""
    async with scripted() as (stand, _):
        owner = await stand.owner()
        short = await seeded(stand, owner, SHORT)
        long = await seeded(stand, owner, LONG)
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


async def seeded(stand: Stand, owner: Owner, count: int, **how: Any) -> str:
    """A session of `count` messages, written beside the server."""
    owner_id = (await owner.call("GET", "/api/owner")).data["id"]
    return await long_session(sqlite_url(stand.app.data_dir / "assistant.db"), owner_id, count, **how)
