"""Titles: the one try at a model's title, and that a user's own is never replaced."""

from assistant.domain.search_tokens import terms_of
from assistant.domain.title import TitleFrom
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import OWNER, SESSION, Seed, a_session


async def titled(store: SqlStore) -> tuple[str, TitleFrom]:
    async with store.read() as unit:
        session = await unit.sessions.get(OWNER, SESSION)
    assert session is not None
    return session.title, session.title_from


async def take(store: SqlStore) -> bool:
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        return await unit.sessions.ask_title(SESSION)


async def give(store: SqlStore, title: str) -> bool:
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        return await unit.sessions.entitle(SESSION, title)


async def test_the_try_is_taken_once_and_its_title_is_found_by_a_search(store: SqlStore, seed: Seed) -> None:
    await seed.session(a_session(title="First line", title_from=TitleFrom.FIRST_LINE))
    assert [await take(store), await take(store)] == [True, False]
    assert await titled(store) == ("First line", TitleFrom.ASKED)
    assert [await give(store, "Made"), await give(store, "Again")] == [True, False]
    assert await titled(store) == ("Made", TitleFrom.SETTLED)
    async with store.read() as unit:
        assert [found.title for found in await unit.search.find(OWNER, terms_of("made"), limit=5)] == ["Made"]


async def test_a_title_by_the_user_is_kept_whenever_it_came(store: SqlStore, seed: Seed) -> None:
    await seed.session(a_session(title_from=TitleFrom.FIRST_LINE))
    await take(store)
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        await unit.sessions.rename(SESSION, "Mine")
    assert not await give(store, "Made")
    assert not await take(store)
    assert await titled(store) == ("Mine", TitleFrom.SETTLED)


async def test_a_title_that_is_settled_is_not_asked_for(store: SqlStore, seed: Seed) -> None:
    """As is that of an import, and of a session of before."""
    await seed.session(a_session(title="From a file"))
    assert not await take(store)
    assert await titled(store) == ("From a file", TitleFrom.SETTLED)
