"""Bells: a send rings the follow of its own tab, which may wait for a session that did not exist yet.

Both run in the process that holds the tab's socket, so this needs no server.
"""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

_bells: dict[str, asyncio.Event] = {}


@contextmanager
def hung(token: str) -> Generator[asyncio.Event]:
    """A bell for the tab with this client token; a newer one takes the place of an older one."""
    bell = asyncio.Event()
    _bells[token] = bell
    try:
        yield bell
    finally:
        if _bells.get(token) is bell:
            del _bells[token]


def ring(token: str) -> None:
    """Ring the tab's bell, if it has one."""
    if bell := _bells.get(token):
        bell.set()
