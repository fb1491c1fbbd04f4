"""Follow a shared session by its link, from the load of the page until the tab goes or the link ends.

The token in the address is all that counts: the cookie of whoever reads is not looked at. The link is looked
up anew with every change and every two seconds; when it does not count any more the page is emptied.
"""

import asyncio
import zlib
from typing import Any

import reflex as rx

from assistant.domain.errors import AssistantError, NotFound, Unavailable
from assistant.domain.frames import Cursor, Place
from assistant.services.shared_view import SharedSnapshot
from assistant.services.shared_watch import SharedWatch
from assistant.services.watching import News
from assistant.ui import bells
from assistant.ui.caller import services
from assistant.ui.chunks import (
    STORED_ATTEMPT,
    Chunk,
    of_ended,
    of_happening,
    of_message,
    of_unfinished,
    terse,
)
from assistant.ui.failures import logged
from assistant.ui.rows import MessageRow, message_row
from assistant.ui.states.have import held_at_connect
from assistant.ui.states.shared import Shared, SharedLive, shared_task_rows, token_of

FLUSH_SECONDS = 0.05
SLOWEST_FLUSH_SECONDS = 0.25
BEAT_SECONDS = 2.0
AWAY_SECONDS = 1.0

SHARED, GONE = "shared", "gone"

Places = dict[str, Cursor]
"""What a browser holds of texts, by message or task."""


class SharedFollow(rx.State):
    """The handlers of a reader's page; it keeps nothing."""

    @rx.event(background=True, supersedes=True)
    async def follow(self) -> None:
        """Show the session behind the link and keep it up to date; an end of the link empties the page."""
        with bells.hung(self.router.session.client_token) as bell:
            async with self:
                restored_on = (await self.get_state(Shared)).restored_on
                token, held = token_of(self), await held_at_connect(self, restored_on)
                (await self.get_state(SharedLive)).chunks = []
            shown: list[MessageRow] = []
            while True:
                try:
                    shown = await _read(self, token, shown, held, bell)
                except NotFound:
                    async with self:
                        await _show_nothing(self)
                    return
                except Unavailable:
                    await _beat_later(self)
                except Exception as error:
                    # A defect of ours must not leave a page that never hears of the end of its link.
                    logged(error)
                    await _beat_later(self)

    @rx.event(temporal=True)
    async def missed(self, message_id: str, task_id: str, attempt: int, offset: int, crc: int) -> None:
        """A text lacks something before what was told: all is told again. The arguments do not matter."""
        bells.ring(self.router.session.client_token)

    @rx.event(temporal=True)
    async def older(self) -> None:
        """Put the page of messages before the first shown one in front."""
        shared = await self.get_state(Shared)
        if not shared.rows:
            return
        try:
            page = await services().sharing.snapshot(token_of(self), before=shared.rows[0]["id"])
        except AssistantError:
            return  # the follow says what became of the link
        shared.rows = [*(message_row(message) for message in page.messages), *shared.rows]
        shared.tasks = {**shared_task_rows(page.tasks), **shared.tasks}
        shared.has_older = page.has_older
        (await self.get_state(SharedLive)).chunks = _texts(page, {})


async def _read(
    state: Any, token: str, shown: list[MessageRow], held: Places, bell: asyncio.Event
) -> list[MessageRow]:
    """Show a snapshot and follow from it; returns what is shown when another snapshot is needed.

    `held` is what the browser holds of texts, and is brought up to date.
    """
    snapshot = await services().sharing.snapshot(token)
    chunks = _texts(snapshot, held)
    async with state:
        shared = await state.get_state(Shared)
        page = [message_row(message) for message in snapshot.messages]
        # What was shown with arguments, or without, is read anew when the owner thinks otherwise.
        rows = _joined(shown, page) if shared._allowed == snapshot.share.with_arguments else page
        if len(rows) == len(page):
            shared.has_older = snapshot.has_older
        behind = {row["id"] for row in rows} - {row["id"] for row in page}
        older = {answer: task for answer, task in shared.tasks.items() if answer in behind}
        shared.rows, shared.title = rows, snapshot.title
        shared.tasks = older | shared_task_rows(snapshot.tasks)
        shared._allowed = snapshot.share.with_arguments
        shared.ready, shared.restored_on = SHARED, state.router.session.session_id
        (await state.get_state(SharedLive)).chunks = chunks
    _note(snapshot, held)
    told = [
        (task, Place(folded.attempt, len(folded.transcript)))
        for task in snapshot.tasks
        if (folded := snapshot.folds.get(task.id)) is not None
    ]
    async with services().sharing.watch(token, snapshot, told) as watch:
        await _flush_until_another(state, watch, bell)
    if bell.is_set():
        bell.clear()
        held.clear()
    async with state:
        return list((await state.get_state(Shared)).rows)


async def _flush_until_another(state: Any, watch: SharedWatch, bell: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    full = False
    named: dict[str, str] = {}
    while not bell.is_set():
        news = await watch.news(within=FLUSH_SECONDS if full else BEAT_SECONDS)
        if news is None:
            return
        begun = loop.time()
        async with state:
            live = await state.get_state(SharedLive)
            if news.empty and full:
                live.chunks = []
            elif news.empty:
                live.beat += 1
            else:
                await _flush(state, live, news, named)
        full = not news.empty
        if full:
            await asyncio.sleep(min(max(FLUSH_SECONDS, 3 * (loop.time() - begun)), SLOWEST_FLUSH_SECONDS))


async def _flush(state: Any, live: SharedLive, news: News, named: dict[str, str]) -> None:
    chunks: list[Chunk] = []
    if news.changes is not None:
        shared = await state.get_state(Shared)
        if news.changes.session is not None and news.changes.session.title != shared.title:
            shared.title = news.changes.session.title
        if news.changes.tasks:
            shared.tasks = {**shared.tasks, **shared_task_rows(news.changes.tasks)}
        attempts = {task.answer_id: task.attempt for task in news.changes.tasks}
        for message in news.changes.messages:
            if message.id not in news.carried:
                chunks += of_message(message, attempts.get(message.id, STORED_ATTEMPT))
    for written in news.written:
        for happening in written.happenings:
            chunks += of_happening(written.task.answer_id, written.task.id, happening, written.task.attempt)
    live.chunks = terse(chunks, named)


async def _show_nothing(state: Any) -> None:
    """Nothing of the session is left in the states, nor in the browser (`share/shared_keeper.js`)."""
    shared = await state.get_state(Shared)
    shared.rows, shared.tasks, shared.title, shared.has_older = [], {}, "", False
    shared.ready, shared.restored_on = GONE, state.router.session.session_id
    (await state.get_state(SharedLive)).chunks = []


async def _beat_later(state: Any) -> None:
    await asyncio.sleep(AWAY_SECONDS)
    async with state:
        (await state.get_state(SharedLive)).beat += 1


def _joined(shown: list[MessageRow], page: list[MessageRow]) -> list[MessageRow]:
    """The last page of the branch behind the older rows that are shown before it."""
    ids = [row["id"] for row in shown]
    first = page[0]["id"] if page else ""
    return [*shown[: ids.index(first)], *page] if first in ids else page


def _texts(snapshot: SharedSnapshot, held: Places) -> list[Chunk]:
    """What the browser does not hold yet: of messages that are whole, and of unfinished answers."""
    attempts = {task.answer_id: task.attempt for task in snapshot.tasks}
    chunks: list[Chunk] = []
    for message in snapshot.messages:
        folded = snapshot.folds.get(message.task_id or "")
        if folded is None:
            chunks += of_ended(message, attempts, held)
        else:
            chunks += of_unfinished(message, folded, held.get(message.task_id or ""))
    return chunks


def _note(snapshot: SharedSnapshot, held: Places) -> None:
    """The browser holds these messages whole from here on."""
    attempts = {task.answer_id: task.attempt for task in snapshot.tasks}
    for message in snapshot.messages:
        if (message.task_id or "") not in snapshot.folds:
            crc = zlib.crc32(message.text.encode())
            attempt = attempts.get(message.id, STORED_ATTEMPT)
            held[message.id] = Cursor(offset=len(message.text), attempt=attempt, crc=crc)
        else:
            held.pop(message.task_id or "", None)  # it grows; another snapshot tells it whole
