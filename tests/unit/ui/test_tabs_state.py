"""What a tab may tell of its lead: it turns its own watch, and whatever nonsense is said turns no other."""

from typing import Any

import pytest
import reflex as rx

from assistant.domain.frames import Cursor
from assistant.ui import watches
from assistant.ui.states.follow import Follow, place_of
from assistant.ui.states.have import MOST_CHARACTERS
from assistant.ui.states.page import Page
from assistant.ui.states.tabs import Tabs

TOKEN = ""
"""The client token of a state that no browser has."""


class Turned:
    """A watch that notes how it is turned."""

    def __init__(self) -> None:
        self.turns: list[Any] = []

    def carry(self, held: dict[str, Cursor]) -> None:
        self.turns.append(held)

    def rest(self) -> None:
        self.turns.append("rest")


async def a_tab(sid: str = "here") -> Tabs:
    tab = rx.State(_reflex_internal_init=True)  # ty: ignore[unknown-argument]
    (await tab.get_state(Page)).sid = sid
    return await tab.get_state(Tabs)


async def lead(tab: Any, *told: Any) -> list[Any]:
    """Say it, with a watch over the session `here`; how that was turned."""
    watch: Any = Turned()
    with watches.open_for(TOKEN, "here", watch):
        await Tabs.lead.fn(tab, *told)
    return watch.turns


async def test_a_mirror_is_brought_no_text_and_the_next_follow_on_this_connection_knows() -> None:
    tab = await a_tab()
    assert await lead(tab, "here", False, "") == ["rest"]
    follow = await tab.get_state(Follow)
    assert follow._mirrored == place_of(tab, "here") != place_of(tab, "there")
    assert await lead(tab, "here", True, '{"task": [1, 2, 3]}') == [{"task": Cursor(2, 1, 3)}]
    assert follow._mirrored == ""


@pytest.mark.parametrize("sid", ["there", "", "x" * 100_000, None, 7])
async def test_a_word_about_another_session_turns_nothing(sid: Any) -> None:
    tab = await a_tab()
    assert await lead(tab, sid, False, "") == []
    assert (await tab.get_state(Follow))._mirrored == ""


async def test_a_tab_that_left_a_session_as_a_mirror_is_no_mirror_when_it_comes_back() -> None:
    tab = await a_tab()
    await lead(tab, "here", False, "")
    (await tab.get_state(Page)).sid = "there"
    assert await lead(tab, "there", True, "") == []
    assert (await tab.get_state(Follow))._mirrored == ""


@pytest.mark.parametrize(
    "have", ["", "nonsense", "[1]", '{"task": [1e999, 2, 3]}', None, {"task": 1}, "[" * (MOST_CHARACTERS + 1)]
)
async def test_nonsense_about_what_is_held_counts_as_nothing(have: Any) -> None:
    assert await lead(await a_tab(), "here", True, have) == [{}]
