"""Which stretch of a session a tab shows, as the browser keeps it for the next connection."""

import json
from typing import Any

import pytest

from assistant.services.restoring import PAGE_MESSAGES, Stretch
from assistant.ui.rows import MessageRow
from assistant.ui.states.page import Page
from assistant.ui.states.stretches import MOST_SESSIONS, Stretches, show_rows, stretch_of
from assistant.ui.states.thread import Thread
from tests.unit.ui.test_held_states import a_tab


def rows(*ids: str) -> list[MessageRow]:
    return [{"id": id, "role": "user", "created_at": "2030-01-01T00:00:00.000Z"} for id in ids]


async def on(tab: Any, sid: str) -> Any:
    (await tab.get_state(Page)).sid = sid
    return tab


async def test_a_part_of_a_session_is_remembered_by_its_ends() -> None:
    tab = await on(await a_tab(), "s")
    await show_rows(tab, rows("b", "c"), "d", has_older=True, has_newer=True)
    assert await stretch_of(tab, "s") == Stretch("b", "c", "d")
    assert (await tab.get_state(Thread)).has_newer

    await show_rows(tab, rows("a", "b", "c", "d"), "d")
    assert await stretch_of(tab, "s") is None


async def test_more_than_a_page_is_remembered_though_nothing_is_beyond_it() -> None:
    """The next connection would bring one page, without the message that the user looks at."""
    tab = await on(await a_tab(), "s")
    page = [str(number) for number in range(PAGE_MESSAGES)]
    await show_rows(tab, rows(*page), page[-1])
    assert await stretch_of(tab, "s") is None
    await show_rows(tab, rows(*page, "last"), "last")
    assert await stretch_of(tab, "s") == Stretch("0", "last", "last")


async def test_the_last_few_sessions_are_remembered() -> None:
    tab = await a_tab()
    for number in range(MOST_SESSIONS + 1):
        await show_rows(await on(tab, f"s{number}"), rows("a"), "a", has_older=True)
    assert await stretch_of(tab, "s0") is None
    assert await stretch_of(tab, f"s{MOST_SESSIONS}") == Stretch("a", "a", "a")


@pytest.mark.parametrize("told", ["", "[]", "{", '{"s": []}', '{"s": 1}', "7", json.dumps({"s": "x" * 9000})])
async def test_nonsense_of_a_browser_counts_as_nothing(told: str) -> None:
    tab = await a_tab()
    (await tab.get_state(Stretches)).told = told
    assert await stretch_of(tab, "s") is None
