"""Listing: keeps a tab's list of sessions, and its draft, up to date, whichever device changed them."""

import asyncio
from typing import Any

import reflex as rx

from assistant.domain.errors import AssistantError, Unavailable
from assistant.domain.session import SessionState
from assistant.ui.caller import owner_of, services
from assistant.ui.rows import session_row
from assistant.ui.states.draft import show_draft
from assistant.ui.states.held import tell
from assistant.ui.states.thread import Sessions

QUIET_SECONDS = 60.0
PAUSE_SECONDS = 0.25
AWAY_SECONDS = 1.0

AT_FIRST = 50
AT_MOST = 2_000
ARCHIVED = "archived"


class Listing(rx.State):
    """The handlers, and what the tab wants to see of the list."""

    wanted: str = rx.SessionStorage("", name="listed")
    """How many sessions, and ` archived` for those that were put away; "" for the first page. Written by the
    browser: a reload and another server show as many again."""

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> None:
        """Read the list again whenever anything of the owner's changed, until the tab goes.

        A lost ring costs a minute.
        """
        try:
            owner_id = owner_of(self)
        except AssistantError:
            return  # the restore has said so already
        while True:
            try:
                async with services().watching.sessions(owner_id) as rings:
                    while True:
                        async with self:
                            await show_list(self, owner_id)
                        await show_draft(self, owner_id)
                        await asyncio.sleep(PAUSE_SECONDS)
                        await rings.next(within=QUIET_SECONDS)
            except Unavailable:
                await asyncio.sleep(AWAY_SECONDS)

    @rx.event
    async def want(self, wanted: str) -> None:
        """Show as much of the list as the browser asks for."""
        self.wanted = wanted if isinstance(wanted, str) else ""
        try:
            await show_list(self, owner_of(self))
        except AssistantError:
            return  # the list that is shown stays; the next ring reads it again


async def show_list(tab: Any, owner_id: str) -> None:
    """Bring the tab to what it wants to see of the list; `tab` is any state of it, locked."""
    many, state = read_wanted((await tab.get_state(Listing)).wanted)
    listed, has_more = await services().listing.newest(owner_id, many, state)
    await tell(tab, Sessions, rows=[session_row(each) for each in listed], has_more=has_more)


def read_wanted(wanted: str) -> tuple[int, SessionState]:
    """How many sessions, and in which state; the first page for whatever cannot be read."""
    number, _, kind = wanted.partition(" ")
    many = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else AT_FIRST
    state = SessionState.ARCHIVED if kind == ARCHIVED else SessionState.ACTIVE
    return min(max(many, AT_FIRST), AT_MOST), state
