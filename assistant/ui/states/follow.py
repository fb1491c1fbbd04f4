"""Follow: keeps one tab up to date, from the restore on until the tab goes (DESIGN 10).

Started by the page load only, so that Reflex ends it with the tab; a newer one supersedes an older one.
"""

import asyncio
import contextlib
from typing import Any

import reflex as rx

from assistant.domain.errors import AssistantError, NotFound, Unavailable
from assistant.domain.frames import Place
from assistant.domain.message import Message
from assistant.domain.task import Task
from assistant.services.restoring import Changes
from assistant.services.watching import News, Watch
from assistant.ui import bells, connected, watches
from assistant.ui.caller import owner_of, services
from assistant.ui.chunks import STORED_ATTEMPT, Chunk, of_happening, of_mark, of_message, of_settled, terse
from assistant.ui.rows import MessageRow, message_row, queued_row, summary_row, task_rows
from assistant.ui.states.held import tell
from assistant.ui.states.page import Page
from assistant.ui.states.queue import Queue
from assistant.ui.states.settings import show_parameters
from assistant.ui.states.stretches import show_rows, stretch_of
from assistant.ui.states.thread import Live, Running, Settled, Thread, promise
from assistant.ui.words import Told

FLUSH_SECONDS = 0.05
SLOWEST_FLUSH_SECONDS = 0.25
BEAT_SECONDS = 4.0
AWAY_SECONDS = 1.0

NEW = "new"
GONE: Told = {"code": "deleted"}


class Follow(rx.State):
    """Where the page stands, for the follow that begins next."""

    _version: int = 0
    _told: rx.Field[dict[str, tuple[int, int]]] = rx.field(default_factory=dict)

    _mirrored: str = ""
    """Where this tab takes its text from another one: a connection and a session (`place_of`)."""

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> None:
        """Watch the session and flush its news, until the tab goes.

        A session that was deleted elsewhere leaves an empty page, which the next send fills.
        """
        with contextlib.suppress(_TabGone):
            await self._follow_on()

    async def _follow_on(self) -> None:
        with bells.hung(self.router.session.client_token) as bell:
            async with self:
                page, live = await self.get_state(Page), await self.get_state(Live)
                sid, version, told = page.sid, self._version, dict(self._told)
                live.chunks = []
            while True:
                while not sid:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(bell.wait(), BEAT_SECONDS)
                    bell.clear()
                    _somebody_is_told(self)
                    async with self:
                        sid, version, told = (await self.get_state(Page)).sid, 0, {}
                        (await self.get_state(Live)).beat += 1
                try:
                    owner_id = owner_of(self)
                except AssistantError:
                    return  # the restore has said so already; the next page load begins again
                await _follow(self, owner_id, sid, version, told)
                async with self:
                    await show_new_page(self)
                    page = await self.get_state(Page)
                    page.ready, page.notice, sid = NEW, GONE, ""


class _TabGone(Exception):
    """Nobody is there to be told; a tab that comes back begins with a restore."""


def _somebody_is_told(state: Any) -> None:
    if not connected.is_here(state.router.session.client_token):
        raise _TabGone()


async def show_new_page(state: Any) -> None:
    """Show no session: an empty page, which the next send fills."""
    put(await state.get_state(Page), sid="", title="", model="", busy_task="")
    await show_rows(state, [], "", summary={})
    await tell(state, Settled, tasks={})
    await tell(state, Running, tasks={})
    await tell(state, Queue, rows=[])
    await show_parameters(state, {})
    stand(await state.get_state(Follow), 0, {})


def put(state: Any, **wanted: Any) -> None:
    """Assign what differs: Reflex sends whatever is assigned, and a reconnect restores what is there."""
    for name, value in wanted.items():
        if getattr(state, name) != value:
            setattr(state, name, value)


def stand(follow: Follow, version: int, told: dict[str, tuple[int, int]]) -> None:
    """Remember the snapshot's version and how far each unfinished answer was told.

    A function, since every public method of a state is a handler that any browser may call.
    """
    follow._version = version
    follow._told = told


def place_of(state: rx.State, sid: str) -> str:
    """The connection of a tab and a session, so that the next connection, and another session, begin anew."""
    return f"{state.router.session.session_id} {sid}"


async def _follow(
    state: Any, owner_id: str, sid: str, version: int, told: dict[str, tuple[int, int]]
) -> None:
    while True:
        try:
            places = [
                (await services().following.task(owner_id, task_id), Place(*place))
                for task_id, place in told.items()
            ]
            async with services().watching.open(owner_id, sid, version, places) as watch:
                with watches.open_for(state.router.session.client_token, sid, watch):
                    # Said before the watch was there to hear it, or to the follow before this one.
                    async with state:
                        if (await state.get_state(Follow))._mirrored == place_of(state, sid):
                            watch.rest()
                    await _flush_for_ever(state, owner_id, watch)
        except NotFound:
            return
        except Unavailable:
            await asyncio.sleep(AWAY_SECONDS)
            await _beat(state)


async def _flush_for_ever(state: Any, owner_id: str, watch: Watch) -> None:
    loop = asyncio.get_running_loop()
    full = False
    named: dict[str, str] = {}
    while True:
        news = await watch.news(within=FLUSH_SECONDS if full else BEAT_SECONDS)
        _somebody_is_told(state)
        if news.empty:
            if full:
                async with state:
                    (await state.get_state(Live)).chunks = []
                full = False
            else:
                await _beat(state)
            continue
        begun = loop.time()
        async with state:
            on_branch = await _flush(state, news, named)
        if not on_branch and news.changes is not None:
            await _show_branch(state, owner_id, news.changes)
        full = True
        await asyncio.sleep(min(max(FLUSH_SECONDS, 3 * (loop.time() - begun)), SLOWEST_FLUSH_SECONDS))


async def _beat(state: Any) -> None:
    async with state:
        (await state.get_state(Live)).beat += 1
        await promise(state)


async def _flush(state: Any, news: News, named: dict[str, str]) -> bool:
    """Give the tab what is new; False when the rows shown are not those of the chosen branch any more."""
    chunks: list[Chunk] = []
    on_branch = True
    if news.changes is not None:
        changes = news.changes
        page, thread = await state.get_state(Page), await state.get_state(Thread)
        rows = placed(thread.rows, changes.messages, has_newer=thread.has_newer)
        shown = {row["id"] for row in rows or thread.rows}
        attempts = {task.answer_id: task.attempt for task in changes.tasks}
        for message in changes.messages:
            # What stands below the stretch that is shown brings its text with its row.
            if message.id not in news.carried and (message.id in shown or not thread.has_newer):
                chunks += of_message(message, attempts.get(message.id, STORED_ATTEMPT))
        leaf = changes.session.leaf_id if changes.session else None
        on_branch = await _show_rows(state, thread, rows, leaf, changes.messages)
        await _show_frame(state, page, changes)
        if changes.session is not None:
            await tell(state, Thread, summary=summary_row(changes.summary))
            await tell(state, Queue, rows=[queued_row(queued) for queued in changes.queued])
        if changes.tasks:
            await _show_tasks(state, changes.tasks)
        await promise(state)
    for mark in news.marks:
        chunks += of_mark(mark)
    for written in news.written:
        for happening in written.happenings:
            chunks += of_happening(written.task.answer_id, written.task.id, happening, written.task.attempt)
    if chunks:
        (await state.get_state(Live)).chunks = terse(chunks, named)
    return on_branch


async def _show_rows(
    state: Any,
    thread: Thread,
    rows: list[MessageRow] | None,
    leaf: str | None,
    messages: tuple[Message, ...],
) -> bool:
    """Show the rows, now that the branch has this leaf; False when they may not be those of it any more."""
    if rows is None:
        return False
    if not rows or leaf == rows[-1]["id"] or (leaf is None and not thread.has_newer):
        await show_rows(state, rows, leaf or "", has_older=thread.has_older)
        return True
    stood = await stretch_of(state, (await state.get_state(Page)).sid)
    if not thread.has_newer or leaf is None or stood is None or rows != thread.rows:
        return False
    if not _goes_on(stood.leaf, leaf, messages):
        return False
    await show_rows(state, rows, leaf, has_older=thread.has_older, has_newer=True)
    return True


def _goes_on(leaf: str, to: str, messages: tuple[Message, ...]) -> bool:
    """Whether the branch that ended at `leaf` goes on to the other by messages that are new."""
    parents = {message.id: message.parent_id for message in messages}
    at: str | None = to
    while at in parents and at != leaf:
        at = parents.pop(at)
    return at == leaf


async def _show_tasks(state: Any, changed: tuple[Task, ...]) -> None:
    """Tell the tasks that run, and beside them, once, those that have ended: as a restore would."""
    running, settled = await state.get_state(Running), await state.get_state(Settled)
    rows = task_rows(changed)
    ended = {answer: row for answer, row in rows.items() if not row["live"]}
    gone = {task.answer_id for task in changed if task.closed}
    tasks = {answer: row for answer, row in (running.tasks | rows).items() if answer not in gone}
    if ended:
        await tell(state, Settled, tasks=settled.tasks | ended)
    await tell(state, Running, tasks=tasks)


def placed(
    rows: list[MessageRow], messages: tuple[Message, ...], *, has_newer: bool = False
) -> list[MessageRow] | None:
    """The rows with messages that are new: each after its parent, where what stood there goes, since a
    sibling was chosen. None when a parent is not shown, so that the branch has to be read again; with
    `has_newer` it stands below, and so does the message.
    """
    placed = list(rows)
    for message in sorted(messages, key=lambda message: message.position):
        ids = [row["id"] for row in placed]
        if message.id in ids:
            continue
        if message.parent_id is None and not placed:
            placed.append(message_row(message))
        elif message.parent_id in ids:
            placed = [*placed[: ids.index(message.parent_id) + 1], message_row(message)]
        elif not has_newer:
            return None
    return placed


async def _show_frame(state: Any, page: Page, changes: Changes) -> None:
    if changes.session is not None:
        page.title = changes.session.title
        page.model = changes.session.model or ""
        await show_parameters(state, changes.session.parameters)
    for task in changes.tasks:
        if not task.closed:
            page.busy_task = task.id
        elif page.busy_task == task.id:
            page.busy_task = ""


async def _show_branch(state: Any, owner_id: str, changes: Changes) -> None:
    """Read the chosen branch again and show its rows; texts that the browser has are not sent twice."""
    if changes.session is None:
        return
    async with state:
        stretch = await stretch_of(state, changes.session.id)
    snapshot = await services().restoring.snapshot(owner_id, changes.session.id, stretch=stretch)
    ended = await services().restoring.ended(
        owner_id, [message.id for message in snapshot.branch if message.task_id]
    )
    async with state:
        thread = await state.get_state(Thread)
        known = {row["id"] for row in thread.rows}
        rows = [message_row(message) for message in snapshot.branch]
        await show_rows(
            state,
            rows,
            snapshot.session.leaf_id or "",
            has_older=snapshot.has_older,
            has_newer=snapshot.has_newer,
            summary=summary_row(snapshot.summary),
        )
        await tell(state, Settled, tasks=task_rows(ended))
        await promise(state)
        new = [message for message in snapshot.branch if message.id not in known]
        (await state.get_state(Live)).chunks = of_settled(snapshot, new, ended)
