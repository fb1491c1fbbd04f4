"""A tab's states are one owner's: who connects under the tab's name as somebody else begins with none.

The name stands in the tab's sessionStorage and in the socket's address, so it may outlive a sign-out, or be
learned. A connection keeps its cookie, so this is looked at once a connection, before anything is sent.
"""

from typing import Any

import reflex as rx
from reflex.middleware import Middleware
from reflex.utils.format import format_event_handler

from assistant.domain.errors import AssistantError
from assistant.ui.caller import owner_of

_CONNECTS = frozenset(
    format_event_handler(rx.State.event_handlers[name]) for name in ("hydrate", "hydrate_and_load")
)


class Tab(rx.State):
    """Whose tab it is; known to the server alone."""

    _owner: str = ""


class OneOwner(Middleware):
    """Empties the states of a tab that comes with another owner's cookie.

    A browser that is not known for a while, and then is again, finds them as they were (Case B137).
    """

    async def preprocess(self, app: Any, state: Any, event: Any) -> None:
        """Before each event; does something at a connection alone."""
        if event.name not in _CONNECTS:
            return
        try:
            owner_id = owner_of(state)
        except AssistantError:
            return
        tab = await state.get_state(Tab)
        if tab._owner not in ("", owner_id):
            state._get_root_state().reset()
        tab._owner = owner_id
