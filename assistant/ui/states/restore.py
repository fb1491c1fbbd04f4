"""Restore on page load: the eight steps of DESIGN 7, idempotent, then follow.

Runs at the first load, at F5, at every reconnect and when the URL names another session; doing it again
changes nothing on the screen.
"""

import asyncio
import json
from typing import Any
from urllib.parse import quote

import reflex as rx

from assistant.domain.errors import AssistantError, NotFound, OwnerMissing
from assistant.domain.frames import Cursor
from assistant.services.restoring import Snapshot
from assistant.ui.caller import owner_of, services, sid_of
from assistant.ui.chunks import Chunk, of_ended, of_unfinished
from assistant.ui.rows import TaskRow, message_row, queued_row, session_row, task_row
from assistant.ui.states.draft import NO_DRAFT, Drafts
from assistant.ui.states.follow import NEW, Follow, put, show_new_page, stand
from assistant.ui.states.listing import Listing
from assistant.ui.states.page import Page
from assistant.ui.states.queue import Queue
from assistant.ui.states.steps import Debug, Steps
from assistant.ui.states.thread import Live, Running, Sessions, Settled, Thread
from assistant.ui.words import said

AWAY_SECONDS = 1.0


class Restore(rx.State):
    """The handler of page load; keeps nothing."""

    @rx.event
    async def on_load(self) -> Any:
        """Bring the page to where it stood, and follow from there."""
        page = await self.get_state(Page)
        page.ready = ""
        yield
        await restore(self)
        if page.ready:
            yield [Follow.follow, Listing.follow]
        elif not page.unknown_on:
            yield Restore.on_load_later

    @rx.event(background=True, supersedes=True)
    async def on_load_later(self) -> Any:
        """Try again soon: the server, or its database, is away for now."""
        await asyncio.sleep(AWAY_SECONDS)
        return Restore.on_load

    @rx.event(temporal=True)
    async def new_session(self) -> Any:
        """Leave this session for an empty page; it is created by the first send."""
        page = await self.get_state(Page)
        page.recent = page._begun = ""
        return [rx.remove_local_storage("recent-session"), rx.redirect("/")]

    @rx.event(temporal=True)
    def open_session(self, sid: str) -> Any:
        """Show another session, without leaving the page."""
        return rx.redirect(f"/?sid={quote(sid)}")


async def restore(state: rx.State) -> None:
    """The eight steps, over whatever the states hold."""
    steps = Steps()
    page = await state.get_state(Page)
    put(page, unknown_on="")
    try:
        owner_id = owner_of(state)
        with steps.step("session_id"):
            named = sid_of(state)
            sid = named or page._begun or ("" if _stands_new(page) else page.recent)
        with steps.step("snapshot"):
            snapshot = await _snapshot(owner_id, sid)
            sessions = await services().restoring.sessions(owner_id)
    except OwnerMissing:
        # This connection will never know its owner: the page says so, and opens another (Case B137).
        page.unknown_on = state.router.session.session_id
        return
    except AssistantError as error:
        page.notice = said(error)
        return
    put(await state.get_state(Sessions), rows=[session_row(session) for session in sessions])
    page.debug_tools = services().settings.debug_tools
    page.notice = said(NotFound()) if snapshot is None and named else ""
    if named:
        page._begun = ""
    await _show(state, snapshot, _held(page.have), steps)
    page.ready, page.restored_for = page.sid or NEW, page.document
    page.restored_on = state.router.session.session_id
    debug = await state.get_state(Debug)
    debug.steps = steps.rows()


def _stands_new(page: Page) -> bool:
    return bool(page.document) and page.stood_new == page.document


async def _show(state: rx.State, snapshot: Snapshot | None, held: dict[str, Cursor], steps: Steps) -> None:
    page, thread = await state.get_state(Page), await state.get_state(Thread)
    follow = await state.get_state(Follow)
    settled, running = await state.get_state(Settled), await state.get_state(Running)
    if snapshot is None:
        await show_new_page(state)
        return
    session = snapshot.session
    with steps.step("history"):
        put(page, sid=session.id, title=session.title, model=session.model or "")
        put(
            thread,
            rows=[message_row(message) for message in snapshot.branch],
            has_older=snapshot.has_older,
        )
        ended = await services().restoring.ended(
            session.owner_id, [message.id for message in snapshot.messages if message.task_id]
        )
        put(settled, tasks={task.answer_id: task_row(task) for task in ended})
    put(await state.get_state(Queue), rows=[queued_row(queued) for queued in snapshot.queued])
    with steps.step("mapping"):
        put(running, tasks={task.answer_id: task_row(task) for task in snapshot.tasks})
        put(page, busy_task=snapshot.tasks[-1].id if snapshot.tasks else "")
    with steps.step("streaming"):
        (await state.get_state(Live)).chunks = _texts(snapshot, held, settled.tasks)
        stand(
            follow,
            session.version,
            {task: (fold.attempt, len(fold.transcript)) for task, fold in snapshot.folds.items()},
        )
    with steps.step("draft"):
        kept = await services().drafting.get(session.owner_id, session.id)
        stored = {"sid": session.id, "text": kept.text, "version": kept.version} if kept else NO_DRAFT
        put(await state.get_state(Drafts), stored=stored)


async def _snapshot(owner_id: str, sid: str) -> Snapshot | None:
    """The session's snapshot; None for no session, or for one that is not there for this owner."""
    if not sid:
        return None
    try:
        return await services().restoring.snapshot(owner_id, sid)
    except NotFound:
        return None


def _texts(snapshot: Snapshot, held: dict[str, Cursor], settled: dict[str, TaskRow]) -> list[Chunk]:
    """What the browser does not hold yet: of messages that are whole, and of unfinished answers."""
    chunks: list[Chunk] = []
    for message in snapshot.messages:
        folded = snapshot.folds.get(message.task_id or "")
        if folded is None:
            chunks += of_ended(message, settled, held)
        else:
            chunks += of_unfinished(message, folded, held.get(message.task_id or ""))
    return chunks


def _held(have: str) -> dict[str, Cursor]:
    """What the browser says it shows; nonsense counts as nothing."""
    try:
        told = json.loads(have or "{}")
        return {
            str(task): Cursor(offset=int(offset), attempt=int(attempt), crc=int(crc))
            for task, (attempt, offset, crc) in told.items()
        }
    except (ValueError, TypeError, AttributeError):
        return {}
