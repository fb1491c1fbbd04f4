"""Whether this tab takes its text from the server, or from another tab of its browser (DESIGN 10)."""

import reflex as rx

from assistant.ui import watches
from assistant.ui.states.follow import Follow, place_of
from assistant.ui.states.have import held_by
from assistant.ui.states.page import Page


class Tabs(rx.State):
    """The handler; keeps nothing. Until a tab says otherwise, on each connection anew, it takes text."""

    @rx.event(temporal=True)
    async def lead(self, sid: str, leads: bool, have: str) -> None:
        """Bring text from now on, beginning with what the tab lacks of unfinished answers, or none.

        `have` is what it holds of them, as in `Have`; its own tasks are looked up in it, and no others.
        """
        here = sid == (await self.get_state(Page)).sid
        watch = watches.of(self.router.session.client_token, sid) if here else None
        follow = await self.get_state(Follow)
        if leads:
            follow._mirrored = ""
        elif here:
            follow._mirrored = place_of(self, sid)
        if watch is not None and leads:
            watch.carry(held_by(have if isinstance(have, str) else ""))
        elif watch is not None:
            watch.rest()
