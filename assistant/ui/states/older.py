"""Older messages of the branch, a page at a time, in front of those that are shown."""

import reflex as rx

from assistant.domain.errors import AssistantError
from assistant.ui.caller import owner_of, services
from assistant.ui.chunks import of_ended
from assistant.ui.rows import message_row, task_row
from assistant.ui.states.page import Page
from assistant.ui.states.thread import Live, Settled, Thread
from assistant.ui.words import said


class Older(rx.State):
    """The handler of "Show older messages"; keeps nothing."""

    @rx.event
    async def load(self) -> None:
        """Put the page of messages before the first shown one in front."""
        page, thread = await self.get_state(Page), await self.get_state(Thread)
        if not (page.sid and thread.rows):
            return
        try:
            owner_id = owner_of(self)
            older = await services().restoring.snapshot(owner_id, page.sid, before=thread.rows[0]["id"])
            tasks = await services().restoring.ended(
                owner_id, [message.id for message in older.messages if message.task_id]
            )
        except AssistantError as refusal:
            page.notice = said(refusal)
            return
        settled, live = await self.get_state(Settled), await self.get_state(Live)
        settled.tasks = settled.tasks | {task.answer_id: task_row(task) for task in tasks}
        live.chunks = [chunk for message in older.messages for chunk in of_ended(message, settled.tasks)]
        thread.rows = [*(message_row(message) for message in older.messages), *thread.rows]
        thread.has_older = older.has_older
