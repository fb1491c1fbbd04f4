"""Whether the page holds the rows that it was told: an update may be lost on its way (Case B076).

With every beat goes what the page should hold by now, as the fingerprints of its rows. A page that holds
something else says so (`shown`), once, and is told everything.
"""

from typing import Any

import reflex as rx

from assistant.ui.states.page import Page
from assistant.ui.states.restore import Restore
from assistant.ui.states.thread import PROMISED

_BESIDE_THE_ROWS = ("sid", "title", "model", "busy_task")


class Unheld(rx.State):
    """The handler; keeps nothing."""

    @rx.event(temporal=True)
    async def tell_all(self) -> Any:
        """Take it that the page holds no rows, and restore."""
        for kind in PROMISED:
            held: Any = await self.get_state(kind)
            held.fingerprint = ""
        page = await self.get_state(Page)
        for name in _BESIDE_THE_ROWS:
            setattr(page, name, getattr(page, name))  # sent, though it is what it was
        return Restore.on_load
