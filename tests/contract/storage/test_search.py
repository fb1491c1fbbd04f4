"""What is found, on both databases alike: titles, questions and ended answers of one owner, never what is
deleted."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.domain.records import Found
from assistant.domain.search_tokens import terms_of
from assistant.domain.session import SessionEvent, SessionState
from assistant.domain.task import TaskReason, TaskState
from assistant.domain.transcript import PartKind
from assistant.storage.search import WALKED
from assistant.storage.search_index import MAX_TOKENS_BYTES, tokens_for
from assistant.storage.store import SqlStore
from tests.contract.storage.seeding import (
    ANSWER,
    OWNER,
    SESSION,
    TASK_ID,
    WORKER,
    Seed,
    a_message,
    a_session,
    an_owner,
    at,
    said,
)

TITLE = None
"""A title is found without a message id."""


async def find(store: SqlStore, query: str, owner: str = OWNER, limit: int = 50) -> list[Found]:
    async with store.read() as unit:
        return await unit.search.find(owner, terms_of(query), limit=limit)


async def ids(store: SqlStore, query: str, owner: str = OWNER) -> list[str | None]:
    return [found.message_id for found in await find(store, query, owner)]


async def talk(seed: Seed, *texts: str, title: str = "Untitled") -> None:
    """One session with these questions, `question-0` the first."""
    await seed.session(a_session(title=title))
    await seed.messages(*(a_message(f"question-{n}", text=text) for n, text in enumerate(texts)))


async def move(store: SqlStore, event: SessionEvent) -> None:
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        assert await unit.sessions.move(SESSION, event, at=at(0))


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("The Redis server", ["redis", "REDIS", "server the", "red", "r", "the se", "redis, server!"]),
        ("Größe im Café, naïve façade", ["grosse", "GRÖSSE", "cafe\u0301", "CAFE", "naive", "facade"]),
        ("Ångström and Øresund", ["angstrom", "oresund", "ØRE"]),
        ("今天页面刷新了", ["刷新", "刷", "新", "页面刷新", "今", "了"]),
        ("用 Redis 刷新缓存", ["Redis 刷新", "redis刷新", "刷新 redis", "刷 red"]),
        ("データベースの更新", ["データ", "更新", "デ", "更新 データベース"]),
        ("한국어 문서", ["한국어", "\u1112\u1161\u11ab국", "문서", "서"]),
        ("ﬁle ① ｗｉｄｅ", ["file", "1", "wide"]),
        ("snake_case in v2.0 of C++", ["snake_case", "case", "v2", "c++", "v2.0"]),
        ("हिन्दी में लिखा", ["हिन्दी", "लि"]),
        ("x" * 100, ["x" * 100, "x" * 64, "xxx"]),
    ],
)
async def test_a_text_is_found_however_it_is_written(
    store: SqlStore, seed: Seed, text: str, queries: list[str]
) -> None:
    """Case folding, accents and pairs of characters are ours and not the database's."""
    await talk(seed, text, "something else entirely")
    for query in queries:
        assert await ids(store, query) == ["question-0"], query


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The Redis server", "redis client"),
        ("The Redis server", "edis"),
        ("red is not the same", "redis"),
        ("the red and the blue", "re blue"),
        ("刷", "刷新"),
        ("新刷", "刷新"),
        ("刷。新", "刷新"),
        ("がき", "かき"),
        ("anything", ""),
        ("anything", " \n"),
        ("👩‍👩‍👧 anything", "👩‍👩‍👧"),
        ("anything", "!?\"'*()^:-"),
    ],
)
async def test_what_is_not_there_is_not_found(store: SqlStore, seed: Seed, text: str, query: str) -> None:
    await talk(seed, text)
    assert await ids(store, query) == []


@pytest.mark.parametrize(
    "query",
    [
        *(
            '"',
            '"redis',
            "redis*",
            "red AND",
            "NOT redis",
            "redis NEAR(x)",
            "(redis",
            "tokens:redis",
            "a' & !b",
        ),
        *(
            "redis:*",
            "redis <-> x",
            "\\",
            "'; DROP TABLE message; --",
            "\0",
            "\ud800",
            "%_",
            "{}",
            "$1 :wanted",
        ),
    ],
)
async def test_no_sign_in_a_query_is_an_operator(store: SqlStore, seed: Seed, query: str) -> None:
    await talk(seed, "redis")
    await find(store, query)
    words = {term.text for term in terms_of(query)}
    assert (await ids(store, query) == ["question-0"]) == (words == {"redis"} or words == {"red"})


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=300))
async def test_any_query_is_answered(store: SqlStore, query: str) -> None:
    assert await find(store, query) == []


async def test_titles_come_first_and_then_the_newest(store: SqlStore, seed: Seed) -> None:
    await talk(seed, "redis one", "redis two", title="About Redis")
    await seed.session(a_session("session-2", title="Redis again"))
    await seed.messages(a_message("question-9", session_id="session-2", text="redis three"))

    found = await find(store, "redis")

    assert [(each.session_id, each.message_id) for each in found] == [
        ("session-2", TITLE),
        (SESSION, TITLE),
        ("session-2", "question-9"),
        (SESSION, "question-1"),
        (SESSION, "question-0"),
    ]
    assert [each.text for each in found[1:3]] == ["About Redis", "redis three"]
    assert (found[0].role, found[2].role, found[2].title) == (None, "user", "Redis again")


async def test_pages_go_on_where_the_last_one_ended(store: SqlStore, seed: Seed) -> None:
    await talk(seed, *(f"redis {n}" for n in range(7)), title="Redis")
    whole = await find(store, "redis")
    assert len(whole) == 8

    pages: list[Found] = []
    async with store.read() as unit:
        while page := await unit.search.find(
            OWNER, terms_of("redis"), limit=3, before=pages[-1].place if pages else None
        ):
            pages += page
    assert pages == whole


async def test_a_word_of_many_messages_and_one_of_few_are_found_among_many(
    store: SqlStore, seed: Seed
) -> None:
    """Where the newest do not tell enough, PostgreSQL asks its index."""
    rare = {3: "needle", WALKED // 2: "needle"}
    await talk(seed, *(f"hay {rare.get(n, 'stack')}" for n in range(WALKED + 100)))
    assert await ids(store, "needle") == [f"question-{WALKED // 2}", "question-3"]
    common = await find(store, "hay", limit=3)
    assert [each.message_id for each in common] == [f"question-{WALKED + 99 - n}" for n in range(3)]


async def test_an_answer_is_found_when_it_has_ended_by_what_it_says(store: SqlStore, seed: Seed) -> None:
    """Reasoning is folded on the page and is not searched in; a call parts two words."""
    await seed.turn()
    whole = (
        said("Spoken").append(PartKind.REASONING, "secretly").append(PartKind.TEXT, "aloud").with_call("call")
    ).append(PartKind.TEXT, "after")
    async with store.write() as unit:
        version = await unit.sessions.bump(SESSION)
        await unit.tasks.claim(TASK_ID, WORKER, TaskState.STREAMING, limit=5, version=version)
        await unit.messages.fill(ANSWER, whole, version)
    assert await ids(store, "spoken") == []

    async with store.write() as unit:
        version = await unit.sessions.bump(SESSION)
        assert await unit.tasks.end(
            *(TASK_ID, 1, TaskState.FAILED, TaskReason.ERROR), at=at(1), version=version, transcript=whole
        )

    assert await ids(store, "spoken aloud after") == [ANSWER]
    assert await ids(store, "secretly") == []
    assert [each.text for each in await find(store, "spoken")] == ["Spoken\naloud\nafter"]


async def test_a_refused_end_leaves_nothing_to_find(store: SqlStore, seed: Seed) -> None:
    await seed.turn()
    async with store.write() as unit:
        version = await unit.sessions.bump(SESSION)
        assert not await unit.tasks.end(
            *(TASK_ID, 7, TaskState.DONE, TaskReason.STOPPED),
            at=at(1),
            version=version,
            transcript=said("late"),
        )
    assert await ids(store, "late") == []


async def test_a_write_that_is_rolled_back_leaves_nothing_to_find(store: SqlStore, seed: Seed) -> None:
    await talk(seed, title="Before")

    async def write_and_fail() -> None:
        async with store.write() as unit:
            await unit.sessions.bump(SESSION)
            await unit.messages.add(a_message("question-1", text="never"))
            await unit.sessions.rename(SESSION, "Never")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await write_and_fail()
    assert await ids(store, "never") == []
    assert await ids(store, "before") == [TITLE]


async def test_a_session_is_found_by_its_present_title_alone(store: SqlStore, seed: Seed) -> None:
    await talk(seed, title="Old name")
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        await unit.sessions.rename(SESSION, "New name")
        await unit.sessions.touch(SESSION, at=at(1), title="Newest name")
    assert await ids(store, "old") == []
    assert [each.title for each in await find(store, "newest name")] == ["Newest name"]


async def test_an_archived_session_is_found_and_a_deleted_one_is_not(store: SqlStore, seed: Seed) -> None:
    await talk(seed, "needle", title="needle")
    await move(store, SessionEvent.ARCHIVE)
    assert {each.state for each in await find(store, "needle")} == {SessionState.ARCHIVED}
    await move(store, SessionEvent.DELETE)
    assert await ids(store, "needle") == []
    await move(store, SessionEvent.UNDO)
    assert await ids(store, "needle") == [TITLE, "question-0"]


async def test_a_removed_session_is_gone_from_the_index(store: SqlStore, seed: Seed) -> None:
    """Of what is removed for good nothing stays behind, and what is written later is found as ever."""
    await talk(seed, "needle", title="needle")
    await move(store, SessionEvent.DELETE)
    async with store.write() as unit:
        assert await unit.sessions.remove(SESSION, deleted_before=at(1))
    await talk(seed, "needle", title="Untitled")
    assert await ids(store, "needle") == ["question-0"]


async def test_nobody_finds_what_another_owner_wrote(store: SqlStore, seed: Seed) -> None:
    await talk(seed, "needle", title="needle")
    await seed.session(a_session("session-2", owner_id="owner-2", title="hers"))
    await seed.messages(a_message("question-9", session_id="session-2", text="needle of hers"))
    assert await ids(store, "needle", "owner-2") == ["question-9"]
    assert await ids(store, "hers") == []
    assert await ids(store, "needle", "nobody") == []


async def test_a_text_beyond_all_bounds_is_stored_and_found_by_its_beginning(
    store: SqlStore, seed: Seed
) -> None:
    text = "begin " + "".join(chr(0x4E00 + n % 20_000) + chr(0x20000 + n % 40_000) for n in range(100_000))
    assert sum(len(token.encode()) for token in tokens_for(OWNER, text, title=False)) <= MAX_TOKENS_BYTES
    await talk(seed, text)
    assert await ids(store, "begin") == ["question-0"]


async def test_what_comes_to_another_owner_is_found_by_that_one_alone(store: SqlStore, seed: Seed) -> None:
    """Also what is renamed and said afterwards."""
    await talk(seed, "needle 刷新", "hay", title="needle")
    async with store.write() as unit:
        await unit.owners.add(an_owner("owner-2"))
        await unit.belongings.move(OWNER, "owner-2")
    assert await ids(store, "needle") == []
    assert await ids(store, "nee", "owner-2") == [TITLE, "question-0"]
    assert await ids(store, "刷", "owner-2") == ["question-0"]
    async with store.write() as unit:
        await unit.sessions.bump(SESSION)
        await unit.sessions.rename(SESSION, "Another")
    assert await ids(store, "needle", "owner-2") == ["question-0"]
    assert await ids(store, "another", "owner-2") == [TITLE]
