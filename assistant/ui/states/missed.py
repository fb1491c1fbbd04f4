"""Text that a page misses: told again, from the place that it names."""

from typing import Any

import reflex as rx

from assistant.domain.errors import AssistantError
from assistant.domain.frames import Cursor
from assistant.ui.caller import owner_of, services
from assistant.ui.chunks import of_reading
from assistant.ui.states.restore import Restore
from assistant.ui.states.thread import Live


class Missed(rx.State):
    """The handler; keeps nothing."""

    @rx.event(temporal=True)
    async def tell_again(self, message_id: str, task_id: str, attempt: int, offset: int, crc: int) -> Any:
        """Send what comes after the place at which the page shows the answer, or all of it when in doubt.

        A page that does not know which task fills the answer has missed more than text, and is restored.
        """
        if not task_id:
            return Restore.on_load
        try:
            cursor = Cursor(offset=offset, attempt=attempt, crc=crc)
            reading = await services().following.read(owner_of(self), task_id, cursor)
        except AssistantError:
            return None  # the next restore tells everything
        (await self.get_state(Live)).chunks = of_reading(message_id, reading)
        return None
