"""What this tab shows of texts, said by the browser with each connection."""

import json
from typing import Any

import reflex as rx

from assistant.domain.frames import Cursor
from assistant.ui.states.held import Unsent

MOST_CHARACTERS = 200_000
"""Some two thousand places."""


class Have(Unsent, rx.State):
    """Written by the browser alone: as it goes, when the page is left, and when a connection has ended
    (`stream_text/keeping.js`)."""

    have: str = rx.SessionStorage("", name="have")
    """`{task or message: [attempt, offset, crc]}` as JSON."""


async def held_at_connect(state: Any, restored_on: str) -> dict[str, Cursor]:
    """What the browser says it shows, to the first restore of its connection; nothing to a later one.

    `restored_on` is the connection of the last restore. Reflex brings the browser's word with each navigation
    too, and it may have said it before it forgot the texts of rows that went since.
    """
    if restored_on == state.router.session.session_id:
        return {}
    return held_by((await state.get_state(Have)).have)


def held_by(have: str) -> dict[str, Cursor]:
    """The places that the browser says it shows; nonsense, and too much of it, counts as nothing."""
    if len(have) > MOST_CHARACTERS:
        return {}
    try:
        told = json.loads(have or "{}")
        return {
            str(name): Cursor(offset=int(offset), attempt=int(attempt), crc=int(crc))
            for name, (attempt, offset, crc) in told.items()
        }
    except (ValueError, TypeError, AttributeError, OverflowError):
        return {}
