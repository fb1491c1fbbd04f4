"""The sessions repository: who sees a session, and the list by last activity."""

from dataclasses import replace
from datetime import datetime

from assistant.domain.session import SessionState
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import OWNER, SESSION, Seed, a_session, at


async def recent(store: SqlStore, limit: int = 10, before: tuple[datetime, str] | None = None) -> list[str]:
    async with store.read() as unit:
        return [found.id for found in await unit.sessions.recent(OWNER, limit=limit, before=before)]


async def test_a_session_comes_back_as_it_was_stored(store: SqlStore, seed: Seed) -> None:
    stored = a_session(
        title="Größe 👩‍💻",
        model="m-1",
        parameters={"temperature": 0.5, "stop": ["é"]},
        leaf_id="x",
        version=7,
    )
    await seed.session(stored)
    async with store.read() as unit:
        assert await unit.sessions.get(OWNER, SESSION) == stored


async def test_another_owner_and_an_unknown_id_look_the_same(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.read() as unit:
        assert await unit.sessions.get("owner-2", SESSION) is None
        assert await unit.sessions.get(OWNER, "nowhere") is None


async def test_a_deleted_session_is_gone_and_an_archived_one_is_readable(store: SqlStore, seed: Seed) -> None:
    await seed.session(a_session("deleted", state=SessionState.DELETED))
    await seed.session(a_session("archived", state=SessionState.ARCHIVED))
    async with store.read() as unit:
        assert await unit.sessions.get(OWNER, "deleted") is None
        assert await unit.sessions.get(OWNER, "archived") is not None


async def test_recent_lists_active_sessions_of_the_owner_newest_first(store: SqlStore, seed: Seed) -> None:
    await seed.session(a_session("old", updated_at=at(1)))
    await seed.session(a_session("new", updated_at=at(3)))
    await seed.session(a_session("archived", updated_at=at(2), state=SessionState.ARCHIVED))
    await seed.session(a_session("foreign", updated_at=at(2), owner_id="owner-2"))
    assert await recent(store) == ["new", "old"]


async def test_recent_pages_without_loss_when_times_are_equal(store: SqlStore, seed: Seed) -> None:
    for n in range(5):
        await seed.session(a_session(f"session-{n}", updated_at=at(n // 3)))
    assert await recent(store, limit=2) == ["session-4", "session-3"]
    assert await recent(store, limit=2, before=(at(1), "session-3")) == ["session-2", "session-1"]
    assert await recent(store, limit=2, before=(at(0), "session-1")) == ["session-0"]


async def test_a_touch_moves_a_session_to_the_top_and_keeps_its_title(store: SqlStore, seed: Seed) -> None:
    await seed.session(a_session("first", updated_at=at(1), title="Kept"))
    await seed.session(a_session("second", updated_at=at(2)))
    async with store.write() as unit:
        await unit.sessions.touch("first", at=at(3))
    async with store.read() as unit:
        touched = (await unit.sessions.recent(OWNER, limit=1))[0]
    assert (touched.id, touched.title) == ("first", "Kept")


async def test_leaf_model_and_parameters_are_set(store: SqlStore, seed: Seed) -> None:
    await seed.session()
    async with store.write() as unit:
        await unit.sessions.choose_leaf(SESSION, "question-9")
        await unit.sessions.configure(SESSION, model="m-2", parameters={"seed": 1})
    async with store.read() as unit:
        assert await unit.sessions.get(OWNER, SESSION) == replace(
            a_session(), leaf_id="question-9", model="m-2", parameters={"seed": 1}
        )
