"""Listing: keeps a tab's list of sessions up to date, whichever tab or device changed it."""

import asyncio

import reflex as rx

from assistant.domain.errors import AssistantError, Unavailable
from assistant.ui.caller import owner_of, services
from assistant.ui.rows import session_row
from assistant.ui.states.thread import Sessions

QUIET_SECONDS = 60.0
PAUSE_SECONDS = 0.25
AWAY_SECONDS = 1.0


class Listing(rx.State):
    """The handler; keeps nothing."""

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
                        await _refresh(self, owner_id)
                        await asyncio.sleep(PAUSE_SECONDS)
                        await rings.next(within=QUIET_SECONDS)
            except Unavailable:
                await asyncio.sleep(AWAY_SECONDS)


async def _refresh(state: rx.State, owner_id: str) -> None:
    rows = [session_row(session) for session in await services().restoring.sessions(owner_id)]
    async with state:
        listed = await state.get_state(Sessions)
        if listed.rows != rows:
            listed.rows = rows
