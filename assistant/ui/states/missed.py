"""Text that a page misses: told again from the place that it names, or whole where it has a digest."""

from typing import Any

import reflex as rx

from assistant.domain.errors import AssistantError
from assistant.domain.frames import Cursor
from assistant.ui.asked import a_number, an_id
from assistant.ui.caller import owner_of, services
from assistant.ui.chunks import STORED_ATTEMPT, of_reading, of_whole
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
            cursor = Cursor(offset=a_number(offset), attempt=a_number(attempt), crc=a_number(crc))
            reading = await services().following.read(owner_of(self), an_id(task_id), cursor)
            answer = an_id(message_id)
        except AssistantError:
            return None  # the next restore tells everything
        (await self.get_state(Live)).chunks = of_reading(answer, reading)
        return None

    @rx.event(temporal=True)
    async def tell_whole(self, message_id: str, shown: bool) -> None:
        """Send the whole of a message of which the page shows a digest: in its place, or beside it."""
        try:
            owner_id, wanted = owner_of(self), an_id(message_id)
            message = await services().restoring.message(owner_id, wanted)
            ended = await services().restoring.ended(owner_id, [wanted])
        except AssistantError:
            return  # the page says that it could not be had
        attempt = ended[0].attempt if ended else STORED_ATTEMPT
        (await self.get_state(Live)).chunks = of_whole(message, attempt, shown=shown is True)
