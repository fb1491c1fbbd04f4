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
from assistant.services.restoring import Changes
from assistant.services.watching import News, Watch
from assistant.ui import bells
from assistant.ui.caller import owner_of, services
from assistant.ui.chunks import STORED_ATTEMPT, Chunk, of_happening, of_message, terse
from assistant.ui.rows import MessageRow, message_row, queued_row, task_row
from assistant.ui.states.page import Page
from assistant.ui.states.queue import Queue
from assistant.ui.states.thread import Live, Running, Settled, Thread

FLUSH_SECONDS = 0.05
SLOWEST_FLUSH_SECONDS = 0.25
BEAT_SECONDS = 4.0
AWAY_SECONDS = 1.0

NEW = "new"
GONE = "This conversation was deleted."


class Follow(rx.State):
    """Where the page stands, for the follow that begins next."""

    _version: int = 0
    _told: rx.Field[dict[str, tuple[int, int]]] = rx.field(default_factory=dict)

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> None:
        """Watch the session and flush its news, until the tab goes.

        A session that was deleted elsewhere leaves an empty page, which the next send fills.
        """
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


async def show_new_page(state: Any) -> None:
    """Show no session: an empty page, which the next send fills."""
    put(await state.get_state(Page), sid="", title="", model="", busy_task="")
    put(await state.get_state(Thread), rows=[], has_older=False)
    put(await state.get_state(Settled), tasks={})
    put(await state.get_state(Running), tasks={})
    put(await state.get_state(Queue), rows=[])
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


async def _flush(state: Any, news: News, named: dict[str, str]) -> bool:
    """Give the tab what is new; False when the rows shown are not those of the chosen branch any more."""
    chunks: list[Chunk] = []
    on_branch = True
    if news.changes is not None:
        changes = news.changes
        attempts = {task.answer_id: task.attempt for task in changes.tasks}
        for message in changes.messages:
            if message.id not in news.carried:
                chunks += of_message(message, attempts.get(message.id, STORED_ATTEMPT))
        page, thread = await state.get_state(Page), await state.get_state(Thread)
        rows = placed(thread.rows, changes.messages)
        leaf = changes.session.leaf_id if changes.session else None
        on_branch = rows is not None and (not rows or leaf in (None, rows[-1]["id"]))
        if on_branch and rows is not None and rows != thread.rows:
            thread.rows = rows
        _show_frame(page, changes)
        if changes.session is not None:
            put(await state.get_state(Queue), rows=[queued_row(queued) for queued in changes.queued])
        if changes.tasks:
            running = await state.get_state(Running)
            running.tasks = running.tasks | {task.answer_id: task_row(task) for task in changes.tasks}
    for written in news.written:
        for happening in written.happenings:
            chunks += of_happening(written.task.answer_id, written.task.id, happening, written.task.attempt)
    if chunks:
        (await state.get_state(Live)).chunks = terse(chunks, named)
    return on_branch


def placed(rows: list[MessageRow], messages: tuple[Message, ...]) -> list[MessageRow] | None:
    """The rows with messages that are new: each after its parent, where what stood there goes, since a
    sibling was chosen. None when a parent is not shown, so that the branch has to be read again."""
    placed = list(rows)
    for message in sorted(messages, key=lambda message: message.position):
        ids = [row["id"] for row in placed]
        if message.id in ids:
            continue
        if message.parent_id is None and not placed:
            placed.append(message_row(message))
        elif message.parent_id in ids:
            placed = [*placed[: ids.index(message.parent_id) + 1], message_row(message)]
        else:
            return None
    return placed


def _show_frame(page: Page, changes: Changes) -> None:
    if changes.session is not None:
        page.title = changes.session.title
        page.model = changes.session.model or ""
    for task in changes.tasks:
        if not task.closed:
            page.busy_task = task.id
        elif page.busy_task == task.id:
            page.busy_task = ""


async def _show_branch(state: Any, owner_id: str, changes: Changes) -> None:
    """Read the chosen branch again and show its rows; texts that the browser has are not sent twice."""
    if changes.session is None:
        return
    snapshot = await services().restoring.snapshot(owner_id, changes.session.id)
    async with state:
        thread = await state.get_state(Thread)
        known = {row["id"] for row in thread.rows}
        thread.rows = [message_row(message) for message in snapshot.branch]
        thread.has_older = snapshot.has_older
        running = {task.answer_id for task in snapshot.tasks}
        (await state.get_state(Live)).chunks = [
            chunk
            for message in snapshot.messages
            if message.id not in known and message.id not in running
            for chunk in of_message(message)
        ]
