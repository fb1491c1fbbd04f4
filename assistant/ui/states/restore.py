"""Restore on page load: the eight steps of DESIGN 7, idempotent, then follow.

Runs at the first load, at F5, at every reconnect and when the URL names another session; doing it again
changes nothing on the screen.
"""

import asyncio
from typing import Any
from urllib.parse import quote

import reflex as rx

from assistant.domain.errors import AssistantError, NotFound, OwnerMissing
from assistant.domain.frames import Cursor
from assistant.services.restoring import Snapshot
from assistant.ui.asked import an_id
from assistant.ui.caller import owner_of, services, sid_of
from assistant.ui.chunks import of_snapshot
from assistant.ui.failures import logged
from assistant.ui.rows import message_row, queued_row, summary_row, task_rows
from assistant.ui.states.draft import NO_DRAFT, Drafts, draft_row
from assistant.ui.states.follow import NEW, Follow, put, show_new_page, stand
from assistant.ui.states.have import held_at_connect
from assistant.ui.states.held import tell
from assistant.ui.states.listing import Listing, show_list
from assistant.ui.states.page import Page
from assistant.ui.states.queue import Queue
from assistant.ui.states.settings import show_choices, show_parameters
from assistant.ui.states.steps import Debug, Steps
from assistant.ui.states.stretches import show_rows, stretch_of
from assistant.ui.states.thread import Live, Running, Settled, promise
from assistant.ui.words import told

AWAY_SECONDS = 1.0


class Restore(rx.State):
    """The handler of page load; keeps nothing."""

    @rx.event
    async def on_load(self) -> Any:
        """Bring the page to where it stood, and follow from there."""
        page = await self.get_state(Page)
        page.ready = ""
        yield
        try:
            await restore(self)
        except Exception as error:
            # A defect of ours must not leave a page that says nothing and never tries again (Case B112).
            logged(error)
            tell_failure(page, AssistantError())
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
        try:
            return rx.redirect(f"/?sid={quote(an_id(sid))}")
        except NotFound:
            return None


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
            snapshot = await _snapshot(state, owner_id, sid)
            await show_list(state, owner_id)
    except OwnerMissing:
        # This connection will never know its owner: the page says so, and opens another (Case B137).
        page.unknown_on = state.router.session.session_id
        return
    except AssistantError as error:
        tell_failure(page, error)
        return
    await show_choices(state, services())
    page.debug_tools = services().settings.debug_tools
    page.notice = told(NotFound()) if snapshot is None and named else {}
    if named:
        page._begun = ""
    await _show(state, snapshot, await held_at_connect(state, page.restored_on), steps)
    await promise(state)
    page.ready, page.restored_for = page.sid or NEW, page.document
    page.restored_on = state.router.session.session_id
    debug = await state.get_state(Debug)
    debug.steps = steps.rows()


def tell_failure(page: Page, error: AssistantError) -> None:
    """Say to this document why it is not restored."""
    page.notice, page.failed_for = told(error), page.document


def _stands_new(page: Page) -> bool:
    """Whether this document stands on a new page: by what was restored for it last, or by its own word."""
    restored_new = page.restored_for == page.document and not page.sid
    return bool(page.document) and (restored_new or page.stood_new == page.document)


async def _show(state: rx.State, snapshot: Snapshot | None, held: dict[str, Cursor], steps: Steps) -> None:
    page, follow = await state.get_state(Page), await state.get_state(Follow)
    if snapshot is None:
        await show_new_page(state)
        return
    session = snapshot.session
    with steps.step("history"):
        put(page, sid=session.id, title=session.title, model=session.model or "")
        await show_parameters(state, session.parameters)
        await show_rows(
            state,
            [message_row(message) for message in snapshot.branch],
            session.leaf_id or "",
            has_older=snapshot.has_older,
            has_newer=snapshot.has_newer,
            summary=summary_row(snapshot.summary),
        )
        ended = await services().restoring.ended(
            session.owner_id, [message.id for message in snapshot.messages if message.task_id]
        )
        await tell(state, Settled, tasks=task_rows(ended))
    await tell(state, Queue, rows=[queued_row(queued) for queued in snapshot.queued])
    with steps.step("mapping"):
        await tell(state, Running, tasks=task_rows(snapshot.tasks))
        put(page, busy_task=snapshot.tasks[-1].id if snapshot.tasks else "")
    with steps.step("streaming"):
        (await state.get_state(Live)).chunks = of_snapshot(snapshot, held, ended)
        stand(
            follow,
            session.version,
            {task: (fold.attempt, len(fold.transcript)) for task, fold in snapshot.folds.items()},
        )
    with steps.step("draft"):
        kept = await services().drafting.get(session.owner_id, session.id)
        await tell(state, Drafts, stored=draft_row(kept) if kept else NO_DRAFT)


async def _snapshot(state: rx.State, owner_id: str, sid: str) -> Snapshot | None:
    """The session's snapshot; None for no session, or for one that is not there for this owner."""
    if not sid:
        return None
    try:
        return await services().restoring.snapshot(owner_id, an_id(sid), stretch=await stretch_of(state, sid))
    except NotFound:
        return None
