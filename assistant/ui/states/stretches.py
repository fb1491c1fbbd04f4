"""Which stretch of each session this tab shows: told to the browser, which says it with the next connection.

So a reload, and a server that was started anew, bring the very rows that were shown (decision 22).
"""

import json
from collections.abc import Sequence
from typing import Any

import reflex as rx

from assistant.services.restoring import PAGE_MESSAGES, Stretch
from assistant.ui.rows import MessageRow
from assistant.ui.states.held import tell
from assistant.ui.states.page import Page
from assistant.ui.states.thread import Thread

MOST_SESSIONS = 5
MOST_CHARACTERS = 5_000


class Stretches(rx.State):
    """Told by the server, kept by the browser."""

    told: str = rx.SessionStorage("", name="stretches")
    """`{session: [first, last, leaf]}` as JSON, the newest last: of sessions that are not all on the page, or
    of which more is there than a page."""


async def show_rows(
    tab: Any,
    rows: Sequence[MessageRow],
    leaf: str,
    *,
    has_older: bool = False,
    has_newer: bool = False,
    summary: dict[str, str] | None = None,
) -> None:
    """Show these messages of the session on the page, and remember which they are; `tab` is locked.

    The row of the summary stays unless another is given.
    """
    more = {} if summary is None else {"summary": summary}
    await tell(tab, Thread, rows=list(rows), has_older=has_older, has_newer=has_newer, **more)
    sid = (await tab.get_state(Page)).sid
    state = await tab.get_state(Stretches)
    stretches = {other: place for other, place in _read(state.told).items() if other != sid}
    if sid and rows and (has_older or has_newer or len(rows) > PAGE_MESSAGES):
        stretches[sid] = [rows[0]["id"], rows[-1]["id"], leaf]
    told = json.dumps(dict(list(stretches.items())[-MOST_SESSIONS:])) if stretches else ""
    if told != state.told:
        state.told = told


async def stretch_of(tab: Any, sid: str) -> Stretch | None:
    """The stretch of that session that the tab shows, or showed last; None for the newest messages."""
    place = _read((await tab.get_state(Stretches)).told).get(sid)
    return Stretch(*place) if place else None


def _read(told: str) -> dict[str, list[str]]:
    """What can be read; nonsense, and too much of it, counts as nothing."""
    try:
        read = json.loads(told) if 0 < len(told) <= MOST_CHARACTERS else {}
        return {
            str(sid): [str(first), str(last), str(leaf)]
            for sid, (first, last, leaf) in (read.items() if isinstance(read, dict) else ())
        }
    except (ValueError, TypeError):
        return {}
