"""Older and newer messages of the branch, some at a time: the page shows a stretch of bounded length.

What comes at one end goes at the other, and its text is forgotten by the browser (`ui/paging`); a row that
comes back brings its text with it. When another branch was chosen meanwhile, the newest messages are shown.
"""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from assistant.domain.errors import AssistantError, NotFound
from assistant.services.restoring import MOST_MESSAGES, Snapshot
from assistant.ui.caller import owner_of, services
from assistant.ui.chunks import of_settled
from assistant.ui.rows import MessageRow, message_row, task_rows
from assistant.ui.states.held import tell
from assistant.ui.states.page import Page
from assistant.ui.states.stretches import show_rows, stretch_of
from assistant.ui.states.thread import Live, Settled, Thread, promise
from assistant.ui.words import told

STEP_MESSAGES = 10
"""So many are drawn at once without a pause that is felt."""


class Paging(rx.State):
    """The handlers; keeps nothing. Each names the row at which the page stood: a late one changes nothing."""

    @rx.event(temporal=True)
    async def older(self, first: str) -> None:
        """Put the messages before the first row in front of it."""
        thread = await self.get_state(Thread)
        if not thread.rows or first != thread.rows[0]["id"]:
            return
        try:
            try:
                found = await _read(self, before=first)
            except NotFound:  # another branch was chosen above the end of the stretch
                await _show_newest(self)
                return
            rows = [*(message_row(message) for message in found.messages), *thread.rows]
            has_newer = thread.has_newer or len(rows) > MOST_MESSAGES
            await _show(self, found, rows[:MOST_MESSAGES], has_older=found.has_older, has_newer=has_newer)
        except AssistantError as refusal:
            (await self.get_state(Page)).notice = told(refusal)

    @rx.event(temporal=True)
    async def newer(self, last: str) -> None:
        """Put the messages after the last row behind it."""
        thread = await self.get_state(Thread)
        if not thread.rows or last != thread.rows[-1]["id"]:
            return
        try:
            try:
                found = await _read(self, after=last)
            except NotFound:  # the same
                await _show_newest(self)
                return
            rows = [*thread.rows, *(message_row(message) for message in found.messages)]
            has_older = thread.has_older or len(rows) > MOST_MESSAGES
            await _show(self, found, rows[-MOST_MESSAGES:], has_older=has_older, has_newer=found.has_newer)
        except AssistantError as refusal:
            (await self.get_state(Page)).notice = told(refusal)

    @rx.event(temporal=True)
    async def newest(self) -> None:
        """Show the newest messages, no more than a first page of them."""
        if not (await self.get_state(Thread)).rows:
            return
        try:
            await _show_newest(self)
        except AssistantError as refusal:
            (await self.get_state(Page)).notice = told(refusal)


async def show_version(tab: Any, chosen: str) -> None:
    """Show the chosen branch around this message, in the place of another version of it: told beside the wish
    to see it, before the follow hears of the branch and would show its newest messages."""
    sid = (await tab.get_state(Page)).sid
    rows = (await tab.get_state(Thread)).rows
    if not any(chosen in row.get("siblings", ()) for row in rows):
        return  # the page shows another session by now, or another part of this one
    try:
        found = await services().restoring.snapshot(owner_of(tab), sid, around=chosen)
        shown = [message_row(message) for message in found.branch]
        await _show(tab, found, shown, has_older=found.has_older, has_newer=found.has_newer)
    except AssistantError:
        return  # the follow shows the branch, as to every other tab


async def _read(tab: Any, *, before: str | None = None, after: str | None = None) -> Snapshot:
    sid = (await tab.get_state(Page)).sid
    stretch = await stretch_of(tab, sid)
    return await services().restoring.snapshot(
        owner_of(tab), sid, limit=STEP_MESSAGES, before=before, after=after, stretch=stretch
    )


async def _show_newest(tab: Any) -> None:
    sid = (await tab.get_state(Page)).sid
    found = await services().restoring.snapshot(owner_of(tab), sid)
    rows = [message_row(message) for message in found.branch]
    await _show(tab, found, rows, has_older=found.has_older, has_newer=False)


async def _show(
    tab: Any, found: Snapshot, rows: Sequence[MessageRow], *, has_older: bool, has_newer: bool
) -> None:
    """Show the rows, with the tasks and the texts of those among them that were not there."""
    thread, settled = await tab.get_state(Thread), await tab.get_state(Settled)
    before, after = {row["id"] for row in thread.rows}, {row["id"] for row in rows}
    owner_id = owner_of(tab)
    ended = await services().restoring.ended(
        owner_id, [message.id for message in found.messages if message.task_id]
    )
    tasks = {answer: row for answer, row in settled.tasks.items() if answer in after} | task_rows(ended)
    await tell(tab, Settled, tasks=tasks)
    leaf = found.session.leaf_id if has_newer else rows[-1]["id"]
    await show_rows(tab, rows, leaf or "", has_older=has_older, has_newer=has_newer)
    await promise(tab)
    new = [message for message in found.branch if message.id in after - before]
    (await tab.get_state(Live)).chunks = of_settled(found, new, ended)
