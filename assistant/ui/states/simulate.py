"""Simulate refresh: the steps of a restore over a page that is not cleared, and what they changed."""

from typing import Any

import reflex as rx

from assistant.ui.states.follow import Follow
from assistant.ui.states.page import Page
from assistant.ui.states.restore import restore
from assistant.ui.states.steps import Debug
from assistant.ui.states.thread import Running, Settled, Thread


class Simulate(rx.State):
    """The handler of the debug button; keeps nothing."""

    @rx.event
    async def refresh(self) -> Any:
        """Restore again and say what differed from what was shown."""
        before = await self._shown()
        await restore(self)
        after = await self._shown()
        debug = await self.get_state(Debug)
        debug.differences = [name for name in before if before[name] != after[name]]
        debug.simulated += 1
        return Follow.follow

    async def _shown(self) -> dict[str, Any]:
        page, thread = await self.get_state(Page), await self.get_state(Thread)
        settled, running = await self.get_state(Settled), await self.get_state(Running)
        tasks = {**settled.tasks, **running.tasks}
        shown = {row["id"] for row in thread.rows}
        return {
            "session": page.sid,
            "title": page.title,
            "model": page.model,
            "busy": page.busy_task,
            "messages": [dict(row) for row in thread.rows],
            "tasks": {answer: dict(task) for answer, task in tasks.items() if answer in shown},
        }
