"""Searching 100,000 messages of one owner, beside another owner's 100,000, on both databases."""

import asyncio
import random
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from sqlalchemy import insert, text

from assistant.domain.message import Role
from assistant.domain.records import Owner, OwnerKind
from assistant.domain.session import Session, SessionState
from assistant.domain.times import SystemClock
from assistant.services.searching import Searching
from assistant.storage.databases import Engines
from assistant.storage.schema import messages
from assistant.storage.search_index import index_messages
from assistant.storage.store import SqlStore
from assistant.storage.transaction import begun
from tests.bench.figures import Figure, Say, median, quantile
from tests.support.databases import postgres_server, sqlite_files

MESSAGES = 100_000
IN_A_SESSION = 2_000
READS = 20
BOUND_MS = 100
MINE, THEIRS = "bench-mine", "bench-theirs"

_SYLLABLES = (
    *("co", "re", "in", "pro", "de", "con", "s", "t", "a", "tion", "ing", "er", "al", "ment", "ity"),
    *("un", "ma", "le", "is", "or", "ven", "ful", "ate", "ous"),
)
WORDS = [f"{a}{b}{c}" for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]
"""As in a language, many begin alike, and the first ones are used more."""

QUERIES = {
    "a rare word": "itymentity",
    "a word of every message": "the",
    "two words": "the proreing",
    "a letter": "c",
    "two letters": "the co",
    "three letters": "con",
    "four letters": "cons",
    "a pair": "刷新",
    "a character of every message": "的",
    "words and characters": "Redis 刷新",
    "two words that are never together": "odd even",
    "what another owner wrote": "theirs",
}


async def search(say: Say) -> list[Figure]:
    """Pages of 20 with their snippets, each query in turn."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        async with AsyncExitStack() as stack:
            for name, url in (await _databases(stack, Path(folder))).items():
                store = SqlStore(url)
                stack.push_async_callback(store.close)
                for owner in (THEIRS, MINE):
                    began = time.monotonic()
                    await _fill(url, store, owner)
                    say(f"search: {name}: {MESSAGES} messages, {time.monotonic() - began:.0f} s")
                figures += await _asked(name, store, say)
    return figures


async def _databases(stack: AsyncExitStack, folder: Path) -> dict[str, str]:
    """A migrated database of each kind; what makes them runs a loop of its own, so in a thread."""
    sqlite = await asyncio.to_thread(lambda: sqlite_files(folder)())
    server = postgres_server()
    postgres = await asyncio.to_thread(server.__enter__)
    stack.push_async_callback(asyncio.to_thread, server.__exit__, None, None, None)
    return {"PostgreSQL": postgres.url(await asyncio.to_thread(postgres.create)), "SQLite": sqlite}


async def _asked(name: str, store: SqlStore, say: Say) -> list[Figure]:
    searching = Searching(store)
    taken: dict[str, list[float]] = {what: [] for what in QUERIES}
    for _ in range(READS):
        for what, query in QUERIES.items():
            began = time.monotonic()
            await searching.search(MINE, query)
            taken[what].append((time.monotonic() - began) * 1000)
    for what, times in taken.items():
        say(f"search: {name}: {what}, p50 {median(times):.1f} ms")
    slowest = max(taken, key=lambda what: median(taken[what]))
    every = [each for times in taken.values() for each in times]
    of = f"of {MESSAGES:,} messages, {name}"
    return [
        Figure("search", f"the slowest query {of}, p50", median(taken[slowest]), "ms", BOUND_MS, slowest),
        Figure("search", f"any query {of}, p95", quantile(every, 0.95), "ms"),
    ]


async def _fill(url: str, store: SqlStore, owner: str) -> None:
    """Messages of a usual length, beside the server, indexed as the product does it."""
    now, dice = SystemClock().now(), random.Random(owner)
    engines = Engines(url)
    try:
        async with store.write() as unit:
            await unit.owners.add(Owner(owner, OwnerKind.ANONYMOUS, None, now))
        for number in range(MESSAGES // IN_A_SESSION):
            session_id = f"{owner}-{number:03}"
            async with store.write() as unit:
                await unit.sessions.add(
                    Session(session_id, owner, SessionState.ACTIVE, f"Talk {number}", None, None, 1, now, now)
                )
            texts = {f"{session_id}-{at:03}": _text(dice, owner, at) for at in range(IN_A_SESSION)}
            rows = [
                {
                    "id": id_,
                    "session_id": session_id,
                    "owner_id": owner,
                    "parent_id": None,
                    "role": Role.USER,
                    "text": said,
                    "parts": [],
                    "attachments": [],
                    "position": at,
                    "client_id": None,
                    "version": 1,
                    "created_at": now,
                }
                for at, (id_, said) in enumerate(texts.items(), 1)
            ]
            async with begun(engines.write) as transaction:
                await transaction.changed(insert(messages), rows)
                await index_messages(transaction, session_id, list(texts.items()))
        async with begun(engines.write) as transaction:
            await transaction.changed(text("ANALYZE"))
    finally:
        await engines.close()


def _text(dice: random.Random, owner: str, number: int) -> str:
    words = " ".join(WORDS[min(dice.randrange(len(WORDS)), dice.randrange(len(WORDS)))] for _ in range(50))
    characters = "".join(chr(0x4E00 + dice.randrange(600)) for _ in range(20))
    rare = "用 Redis 的页面刷新了。" if number % 100 == 7 else ""
    whose = "theirs" if owner == THEIRS else "mine"
    return f"The {'even' if number % 2 else 'odd'} {whose} {words}, 的{characters}{rare}"
